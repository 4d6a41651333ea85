"""Charts of denials by reason or rule."""

from typing import Final

from django.utils.safestring import SafeString

from governance.core.figures import thousands
from outcomes.charts import LinkTo, Series, Style, hanging, spark
from outcomes.core.scope import Scope
from outcomes.denials.queries.denial_sums import Denials, Denied
from outcomes.figures.charts import STEP_WORDS, axis_of

_STYLES: Final = (Style.DENIED, Style.DENIED_SECOND, Style.DENIED_THIRD, Style.DENIED_OTHERS)
_SAYS: Final = "Denied calls hang from the line."


def by_reason(scope: Scope, reasons: list[Denied], link: LinkTo) -> SafeString:
    """Chart with one series per reason; with more than four, only the three most frequent, and the
    others as one series."""
    rows_by_reason = [(each.name, each.steps) for each in reasons if each.calls]
    if len(rows_by_reason) > len(_STYLES):
        rest = rows_by_reason[len(_STYLES) - 1 :]
        summed = [sum(steps) for steps in zip(*(steps for _, steps in rest), strict=True)]
        rows_by_reason = [*rows_by_reason[: len(_STYLES) - 1], (f"{len(rest)} others", summed)]
    rows = [
        Series(name=name, style=style, values=steps, total=thousands(sum(steps)))
        for (name, steps), style in zip(rows_by_reason, _STYLES, strict=False)
    ]
    name = f"Denied per {STEP_WORDS[scope.step]}"
    return hanging(axis_of(scope), rows or _none(scope), name=name, says=_SAYS, link=link)


def rule_chart(scope: Scope, denied: Denials, link: LinkTo) -> SafeString:
    row = Series(
        name="Denied", style=Style.DENIED, values=denied.steps, total=thousands(denied.calls)
    )
    name = f"Denied per {STEP_WORDS[scope.step]}"
    return hanging(axis_of(scope), [row], name=name, says=_SAYS, link=link)


def trend(denied: Denied, most: int) -> SafeString:
    """Small chart in a table row; all rows share one scale."""
    among = (0.0, float(most))
    return spark(denied.steps, says=f"Denied by {denied.name} over time", in_row=True, among=among)


def _none(scope: Scope) -> list[Series]:
    return [Series(name="Denied", style=Style.DENIED, values=[0] * len(scope.steps()), total="0")]
