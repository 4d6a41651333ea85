"""Charts of figures over time, shared by several pages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from operator import sub
from typing import Final
from urllib.parse import quote

from django.urls import reverse
from django.utils.safestring import SafeString

from governance.core.figures import percent, thousands
from outcomes.charts import LinkTo, Point, Series, Style, TimeAxis, Unit, columns, lines, spark
from outcomes.core.moments import Step, time_text
from outcomes.core.scope import Scope
from outcomes.figures.comparison import Period
from outcomes.figures.domain.figures import Figures, lowest_rate
from outcomes.figures.queries.doubt import NO_DOUBT, Doubt
from outcomes.models import Call
from outcomes.web.paging import with_query

_FAILURE: Final = "failure"
_KINDS: Final = Call.Kind
_RATE_HEIGHT: Final = 140  # about the height of the outcomes chart next to it
_WORDS: Final = 8  # a point's label takes about an eighth of the chart's width
STEP_WORDS: Final = {
    Step.MINUTE: "minute",
    Step.QUARTER: "quarter of an hour",
    Step.HOUR: "hour",
    Step.DAY: "day",
}


def figures_charts(
    scope: Scope,
    now: Period,
    before: Period,
    link: LinkTo,
    doubt: Doubt = NO_DOUBT,
    *,
    worse: bool,
) -> dict[str, SafeString]:
    """Charts of one agent or tool: its outcomes, its success rate, and a sparkline per tile."""

    def trend(
        value: Callable[[Figures], float | None], says: str, *, bad: bool = False
    ) -> SafeString:
        return tile_spark(now, before, value, says, bad=bad)

    return {
        "outcomes_chart": outcomes_chart(scope, now, link, doubt),
        "rate_chart": rate_chart(scope, now, before, doubt),
        "rate_spark": trend(lambda figures: figures.rate, "Success rate over time", bad=worse),
        "calls_spark": trend(lambda figures: figures.calls, "Calls over time"),
        "failed_spark": trend(lambda figures: figures.ran_and_failed, "Calls that ran and failed"),
        "denied_spark": trend(lambda figures: figures.denied, "Denied calls over time"),
    }


def outcomes_chart(scope: Scope, now: Period, link: LinkTo, doubt: Doubt = NO_DOUBT) -> SafeString:
    executed = _row(now, "Executed", Style.EXECUTED, _executed_well)
    rows = [
        *(_with_doubt(executed, doubt, scope) if doubt else [executed]),
        _row(now, "Artifact", Style.ARTIFACT, _artifact_well),
        _row(
            now,
            "Ran, verdict failure",
            Style.UNSEEN_FAILURE,
            lambda figures: figures.ran_and_failed,
        ),
        _row(now, "Timeout", Style.TIMEOUT, lambda figures: figures.with_outcome(_KINDS.TIMEOUT)),
        _row(now, "Failure", Style.FAILURE, lambda figures: figures.with_outcome(_KINDS.FAILURE)),
    ]
    denied = _row(now, "Denied", Style.DENIED, lambda figures: figures.denied)
    return columns(
        axis_of(scope),
        rows,
        [denied],
        name=f"Outcomes per {STEP_WORDS[scope.step]}",
        says="Above the line the call ran; below it, it was denied.",
        link=link,
    )


def _is_clear_above(rows: Sequence[Sequence[float | None]], step: int, rate: float) -> bool:
    """True if the lines next to a point are below it, so that its label fits above."""
    near = [
        value
        for row in rows
        for value in row[max(0, step - 1 - len(row) // _WORDS) : step + 1]
        if value is not None
    ]
    return max(near, default=rate) - rate <= rate - min(near, default=rate)


def _with_doubt(executed: Series, doubt: Doubt, scope: Scope) -> list[Series]:
    """Series of executed calls, with the calls in doubt split off."""
    counts = [int(value or 0) for value in executed.values]
    suspected = list(map(min, doubt.by_step(scope.steps()), counts))
    sure = list(map(sub, counts, suspected))
    return [
        replace(executed, values=sure, total=thousands(sum(sure))),
        Series(name="In doubt", style=Style.DOUBT, values=suspected, total=thousands(len(doubt))),
    ]


def _doubtful_rate_chart(scope: Scope, now: Period, doubt: Doubt) -> SafeString:
    """Chart of the success rate as counted, and if every suspected failure is a real one."""
    figures = [step.figures for step in now.steps]
    suspected = doubt.by_step(scope.steps())
    lowest = [lowest_rate(each, number) for each, number in zip(figures, suspected, strict=True)]
    known = sum(rate is not None for rate in lowest)
    return lines(
        axis_of(scope),
        [
            Series(
                name=f"If all {len(doubt):,} failed" if len(doubt) > 1 else "If it failed",
                style=Style.NOW,
                values=lowest,
                total=percent(lowest_rate(now.total, len(doubt))),
            ),
            Series(
                name="As counted",
                style=Style.BEFORE,
                values=[each.rate for each in figures],
                total=percent(now.total.rate),
            ),
        ],
        name="Success rate, in doubt",
        says=f"{known} of {len(lowest)} steps have calls with a verdict.",
        unit=Unit.RATE,
        height=_RATE_HEIGHT,
    )


def rate_chart(scope: Scope, now: Period, before: Period, doubt: Doubt = NO_DOUBT) -> SafeString:
    if doubt:
        return _doubtful_rate_chart(scope, now, doubt)
    rates = [step.figures.rate for step in now.steps]
    known = [(step, rate) for step, rate in enumerate(rates) if rate is not None]
    then = _previous_values(before, len(rates), lambda figures: figures.rate)
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
        height=_RATE_HEIGHT,
        points=points,
    )


def tile_spark(
    now: Period, before: Period, value: Callable[[Figures], float | None], says: str, *, bad: bool
) -> SafeString:
    values = [value(step.figures) for step in now.steps]
    return spark(values, before=_previous_values(before, len(values), value), says=says, bad=bad)


def row_spark(
    rates: Sequence[float | None], among: tuple[float, float], says: str, *, bad: bool
) -> SafeString:
    return spark(rates, says=says, in_row=True, among=among, bad=bad)


def axis_of(scope: Scope) -> TimeAxis:
    steps = scope.steps()
    return TimeAxis(edges=[*(step.start for step in steps), steps[-1].end], zone=scope.zone)


def _previous_values(
    before: Period, steps: int, value: Callable[[Figures], float | None]
) -> list[float | None]:
    """Values of the previous period, aligned at its end, as daylight saving may give it more or
    fewer steps."""
    values = [value(step.figures) for step in before.steps]
    return [None] * (steps - len(values)) + values[max(0, len(values) - steps) :]


def _row(now: Period, name: str, style: Style, value: Callable[[Figures], int]) -> Series:
    values = [value(step.figures) for step in now.steps]
    return Series(name=name, style=style, values=values, total=thousands(sum(values)))


def _executed_well(figures: Figures) -> int:
    return _ran_well(figures, _KINDS.EXECUTION_RESULT)


def _artifact_well(figures: Figures) -> int:
    return _ran_well(figures, _KINDS.ARTIFACT_REFERENCE)


def _ran_well(figures: Figures, kind: str) -> int:
    return sum(
        calls
        for (outcome, verdict, _), calls in figures.counts.items()
        if outcome == kind and verdict != _FAILURE
    )


def link_to_calls(slug: str, scope: Scope, **narrowed: str) -> LinkTo:
    steps, address = scope.steps(), reverse("outcomes:calls", args=[slug])
    chosen = {"environment": scope.environment, "agent": scope.agent} | narrowed
    query = with_query("", **chosen).replace("?", "&")

    @cache  # a chart and its table use the same links
    def link(first: int, last: int) -> str:
        since, until = time_text(steps[first].start), time_text(steps[last].end)
        return f"{address}?from={quote(since)}&to={quote(until)}{query}"

    return link
