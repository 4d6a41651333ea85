"""Headline of the overview, and the sentence below it."""

from collections.abc import Mapping, Sequence
from typing import Final

from governance.core.figures import counted
from governance.models import Finding
from outcomes.alerts.domain import SILENT, headline
from outcomes.alerts.words import title_of
from outcomes.core.scope import Scope
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall
from outcomes.figures.queries.doubt import Doubt
from outcomes.figures.words import fall_words, outputs_words, success_words, suspected_words

MOST: Final = 6  # alerts on the card


def sentence(
    alerts: Sequence[Finding],
    number: int,
    now: Figures,
    falls: Sequence[Fall],
    tools: Mapping[str, Figures],
    doubt: Doubt,
    scope: Scope,
) -> str:
    """Headline: the worst alert, a drop, suspected failures, or how many calls succeeded.

    Names may be in backticks."""
    worst = headline(title_of(alerts[0]), number) if alerts else ""
    is_doubt = bool(doubt) and bool(alerts) and alerts[0].kind == SILENT
    if alerts and alerts[0].severity == Finding.Severity.ERROR and not is_doubt:
        return worst
    if falls and not is_doubt:
        return fall_words(falls[0])
    if doubt:
        (tool, _), *others = doubt.by_tool.most_common(2)
        return suspected_words(doubt, Figures() if others else tools[tool], "" if others else tool)
    return worst or _calm(now, scope)


def second_sentence(headline: str, now: Figures, doubt: Doubt) -> str:
    """Facts that the headline leaves out: how many calls succeeded and could be checked."""
    parts = []
    if now.judged and success_words(now) not in headline:
        parts.append(success_words(now, len(doubt)).rstrip("."))
    if now.returned and not now.is_unchecked:
        parts.append(outputs_words(now))
    return " · ".join(parts)


def _calm(now: Figures, scope: Scope) -> str:
    if not now:
        return f"No open alerts, no calls {scope.in_words}"
    if not now.judged:
        return f"No open alerts. None of {counted(now.calls, 'call')} has a verdict"
    if now.is_unchecked:
        return success_words(now)
    return f"No open alerts. {success_words(now)}"
