"""Every chart with typical values, without data, with one point, with very many, and with gaps."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from django.utils.safestring import SafeString

from edictum_site.components import values
from outcomes.charts import (
    Counting,
    Level,
    Point,
    Series,
    Stop,
    Style,
    TimeAxis,
    Unit,
    areas,
    columns,
    countings,
    hanging,
    lines,
    spark,
    strip,
)

ZONE = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
SIZES = {"typical": 24, "empty": 0, "one point": 1, "huge": 9_000, "gaps": 24}


@dataclass(frozen=True, slots=True)
class Specimen:
    title: str
    chart: SafeString


def specimens() -> Iterator[tuple[str, list[Specimen]]]:
    for title, draw in (
        ("Stacked columns", _columns),
        ("Columns of what was denied", _hanging),
        ("Lines", _lines),
        ("Stacked areas", _areas),
        ("Sparklines", _spark),
        ("Limit lines over the call number", _countings),
        ("Session strip", _strip),
    ):
        yield title, [Specimen(state, draw(state)) for state in SIZES]
    more = [
        Specimen("by time", _strip("typical", by_time=True)),
        Specimen("without denials, linked", _linked()),
        Specimen("durations", _durations()),
        Specimen("days around a change of the clock", _days()),
    ]
    yield "Others", more


def _axis(state: str) -> TimeAxis:
    steps = SIZES[state]
    width = HOUR if steps < 1_000 else HOUR / 4
    return TimeAxis(edges=values.edges(steps, width) if steps else [], zone=ZONE)


def _row(name: str, style: Style, state: str, low: float, high: float) -> Series:
    rates: list[float | None] = [*values.counts(SIZES[state], low, high)]
    if state == "gaps":
        rates = [
            None if 8 <= place <= 12 or place == 17 else each for place, each in enumerate(rates)
        ]
    total = sum(each or 0 for each in rates)
    return Series(name=name, style=style, values=rates, total=f"{total:,.0f}")


def _above(state: str) -> list[Series]:
    return [
        _row("Executed", Style.EXECUTED, state, 180, 1_250),
        _row("Artifact", Style.ARTIFACT, state, 8, 76),
        _row("of them verdict failure", Style.UNSEEN_FAILURE, state, 2, 60),
        _row("Timeout", Style.TIMEOUT, state, 0, 9),
        _row("Failure", Style.FAILURE, state, 1, 12),
    ]


def _columns(state: str) -> SafeString:
    return columns(
        _axis(state),
        _above(state),
        [_row("Denied", Style.DENIED, state, 4, 90)],
        name="Outcomes per hour",
        says="Above the line the call ran; below it, it was denied.",
    )


def _hanging(state: str) -> SafeString:
    rows = [
        _row("contract", Style.DENIED, state, 4, 60),
        _row("limit", Style.DENIED_SECOND, state, 0, 30),
        _row("duplicate", Style.DENIED_THIRD, state, 0, 12),
        _row("others", Style.DENIED_OTHERS, state, 0, 9),
    ]
    return hanging(_axis(state), rows, name="Denied per hour", says="Most by the contract.")


def _areas(state: str) -> SafeString:
    return areas(_axis(state), _above(state), name="Outcomes by type", says="Most were executed.")


def _rates(state: str, fall: float) -> list[float | None]:
    steps = SIZES[state]
    rates: list[float | None] = [
        0.97 + 0.02 * values.wave(step, -1, 1) - (fall if step > steps - 3 and steps > 3 else 0)
        for step in range(steps)
    ]
    if state == "gaps":
        rates[6:10] = [None] * 4
        rates[11] = None
    return rates


def _lines(state: str) -> SafeString:
    rates = _rates(state, 0.33)
    last = [(step, rate) for step, rate in enumerate(rates) if rate is not None][-1:]
    points = [
        Point(step=step, value=rate, style=Style.NOW, words=Unit.RATE.say(rate), above=False)
        for step, rate in last
    ]
    return lines(
        _axis(state),
        [
            Series(name="last 24 hours", style=Style.NOW, values=rates),
            Series(name="the 24 hours before", style=Style.BEFORE, values=_rates(state, 0)),
        ],
        name="Success rate",
        says="Steady until 01:00, then falling.",
        unit=Unit.RATE,
        points=points,
    )


def _spark(state: str) -> SafeString:
    return spark(
        _rates(state, 0.33),
        before=_rates(state, 0),
        says="Success rate, last 24 hours",
        bad=state == "typical",
    )


def _countings(state: str) -> SafeString:
    number = {"typical": 120, "gaps": 30, "huge": 5_000}.get(state, SIZES[state])
    limit = {"typical": 100, "huge": 4_000}.get(state, 100)
    ran, reported, classified = [0], [0], [0]
    for call in values.calls(number):
        done = call.kind != "denied" and ran[-1] < limit
        ran.append(ran[-1] + done)
        reported.append(reported[-1] + (done and call.reported == "success"))
        classified.append(classified[-1] + (done and call.verdict == "success"))
    by_class = Counting(name="successes", style=Style.CLASSIFIED, counts=classified[1:])
    rows = [
        Counting(name="executions", style=Style.EXECUTIONS, counts=ran[1:]),
        by_class,
        Counting(name="as reported", style=Style.REPORTED, counts=reported[1:]),
    ]
    return countings(
        rows,
        limit=limit,
        projected=by_class,
        name="Executions vs successes",
        says=f"Executions and successes over {number:,} calls, against a limit of {limit:,}.",
    )


def _strip(state: str, *, by_time: bool = False) -> SafeString:
    number = {"typical": 120, "gaps": 14, "huge": 5_000}.get(state, SIZES[state])
    calls = values.calls(number, per_turn=13 if number < 1_000 else 400)
    stops = [Stop(number=112, words="limit reached at call 112")] if number == 120 else []
    return strip(
        calls,
        says=f"{number:,} calls.",
        link=lambda call: f"#{call.call_id}",
        by="time" if by_time else "call",
        zone=ZONE,
        stop=stops[0] if stops else None,
    )


def _linked() -> SafeString:
    steps = 30
    row = Series(name="Newly denied", style=Style.DENIED, values=values.counts(steps, 0, 4))
    return columns(
        TimeAxis(edges=values.edges(steps, timedelta(minutes=1)), zone=ZONE),
        [row],
        name="Newly denied per minute",
        says="A call at a time.",
        height=64,
        link=lambda first, last: f"#from-{first}-to-{last}",
    )


def _durations() -> SafeString:
    steps = 48
    rows = [
        Series(name="p50", style=Style.NEUTRAL, values=values.counts(steps, 60, 140)),
        Series(name="p95", style=Style.NOW, values=values.counts(steps, 300, 1_700)),
    ]
    return lines(
        TimeAxis(edges=values.edges(steps, HOUR / 2), zone=ZONE),
        rows,
        name="Latency",
        says="The slow ones follow the traffic.",
        unit=Unit.DURATION,
        levels=[Level(value=2_000, words="2 s, the deadline")],
    )


def _days() -> SafeString:
    """Daily columns across the end of daylight saving on 25 October 2026, a day of 25 hours."""
    day = timedelta(days=1)
    begin = values.NOW.astimezone(ZONE).replace(month=10, day=11, hour=0, minute=0)
    rows = [Series(name="Executed", style=Style.EXECUTED, values=values.counts(28, 90, 900))]
    return columns(
        TimeAxis(edges=[begin + day * place for place in range(29)], zone=ZONE),
        rows,
        name="Calls per day",
        says="Four weeks.",
        height=80,
    )
