"""The charts of the first page, drawn from figures over time."""

from collections.abc import Callable, Sequence
from typing import Final

from django.utils.safestring import SafeString

from governance.core.figures import thousands
from outcomes.charts import LinkTo, Point, Series, Style, TimeAxis, Unit, columns, lines, spark
from outcomes.core.scope import Scope
from outcomes.core.steps import Step
from outcomes.figures.comparison import Period
from outcomes.figures.domain.figures import Figures
from outcomes.models import Call

_FAILURE: Final = "failure"
_KINDS: Final = Call.Kind
_WORDS: Final = 8  # times as wide as words at a point a chart is
STEP_WORDS: Final = {
    Step.MINUTE: "minute",
    Step.QUARTER: "quarter of an hour",
    Step.HOUR: "hour",
    Step.DAY: "day",
}


def figures_charts(
    scope: Scope, now: Period, before: Period, link: LinkTo, *, worse: bool
) -> dict[str, SafeString]:
    """Of one agent or tool: what became of its calls, and a trend in each of its tiles."""

    def trend(
        value: Callable[[Figures], float | None], says: str, *, bad: bool = False
    ) -> SafeString:
        return tile_spark(now, before, value, says, bad=bad)

    return {
        "outcomes_chart": outcomes_chart(scope, now, link),
        "rate_chart": rate_chart(scope, now, before),
        "rate_spark": trend(lambda each: each.rate, "Success rate over time", bad=worse),
        "calls_spark": trend(lambda each: each.calls, "Calls over time"),
        "failed_spark": trend(lambda each: each.ran_and_failed, "Calls that ran and failed"),
        "denied_spark": trend(lambda each: each.denied, "Denied calls over time"),
    }


def outcomes_chart(scope: Scope, now: Period, link: LinkTo) -> SafeString:
    rows = [
        _row(now, "Executed", Style.EXECUTED, _executed_well),
        _row(now, "Artifact", Style.ARTIFACT, _artifact_well),
        _row(
            now,
            "Ran, verdict failure",
            Style.UNSEEN_FAILURE,
            lambda found: found.ran_and_failed,
        ),
        _row(now, "Timeout", Style.TIMEOUT, lambda found: found.of_kind(_KINDS.TIMEOUT)),
        _row(now, "Failure", Style.FAILURE, lambda found: found.of_kind(_KINDS.FAILURE)),
    ]
    denied = _row(now, "Denied", Style.DENIED, lambda found: found.denied)
    return columns(
        axis_of(scope),
        rows,
        [denied],
        name=f"Outcomes per {STEP_WORDS[scope.step]}",
        says="Above the line the call ran; below it, it was denied.",
        link=link,
    )


def _is_clear_above(rows: Sequence[Sequence[float | None]], step: int, rate: float) -> bool:
    """Whether the lines beside a point, where its words stand, lie below it rather than above."""
    near = [
        value
        for row in rows
        for value in row[max(0, step - 1 - len(row) // _WORDS) : step + 1]
        if value is not None
    ]
    return max(near, default=rate) - rate <= rate - min(near, default=rate)


def rate_chart(scope: Scope, now: Period, before: Period) -> SafeString:
    rates = [step.figures.rate for step in now.steps]
    known = [(step, rate) for step, rate in enumerate(rates) if rate is not None]
    then = _beside(before, len(rates), lambda found: found.rate)
    points = [
        Point(
            step=step,
            value=rate,
            style=Style.NOW,
            words=Unit.RATE.say(rate),
            above=_is_clear_above([rates, then], step, rate),
        )
        for step, rate in known[-1:]
    ]
    name = scope.words[0].lower() + scope.words[1:] if scope.range else "this time"
    return lines(
        axis_of(scope),
        [
            Series(name=name, style=Style.NOW, values=rates),
            Series(
                name=scope.before_words,
                style=Style.BEFORE,
                values=then,
            ),
        ],
        name="Success rate",
        says=f"{len(known)} of {len(rates)} steps have calls with a verdict.",
        unit=Unit.RATE,
        points=points,
    )


def tile_spark(
    now: Period, before: Period, value: Callable[[Figures], float | None], says: str, *, bad: bool
) -> SafeString:
    values = [value(step.figures) for step in now.steps]
    return spark(values, before=_beside(before, len(values), value), says=says, bad=bad)


def row_spark(
    rates: Sequence[float | None], among: tuple[float, float], says: str, *, bad: bool
) -> SafeString:
    return spark(rates, says=says, in_row=True, among=among, bad=bad)


def axis_of(scope: Scope) -> TimeAxis:
    steps = scope.steps()
    return TimeAxis(edges=[*(each.start for each in steps), steps[-1].end], zone=scope.zone)


def _beside(
    before: Period, steps: int, value: Callable[[Figures], float | None]
) -> list[float | None]:
    """As many steps: where the clock cuts the time before into more or fewer, the ends meet."""
    found = [value(step.figures) for step in before.steps]
    return [None] * (steps - len(found)) + found[max(0, len(found) - steps) :]


def _row(now: Period, name: str, style: Style, value: Callable[[Figures], int]) -> Series:
    values = [value(step.figures) for step in now.steps]
    return Series(name=name, style=style, values=values, total=thousands(sum(values)))


def _executed_well(found: Figures) -> int:
    return _ran_well(found, _KINDS.EXECUTION_RESULT)


def _artifact_well(found: Figures) -> int:
    return _ran_well(found, _KINDS.ARTIFACT_REFERENCE)


def _ran_well(found: Figures, kind: str) -> int:
    return sum(
        calls
        for (each, verdict, _), calls in found.counts.items()
        if each == kind and verdict != _FAILURE
    )
