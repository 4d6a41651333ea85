"""The tables of a result as its page shows them, and what happened over time as bars."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from outcomes import queries
from outcomes.domain.backtests.sums import DRIFT
from outcomes.models import Backtest
from outcomes.views.backtest_words import NAMES, limit_name
from outcomes.views.rows import arguments_line

SHOWN: Final = 12
SAMPLES: Final = 4  # of each change
CHANGES: Final = {
    "newly_denied": "denied",
    "newly_allowed": "allowed",
    "newly_asking": "asking",
    "changed": "other",
    "undetermined": "undetermined",
}
DRAWN: Final = (("newly_denied", "fill-denied"), ("newly_allowed", "fill-executed"),
                ("newly_asking", "fill-neutral"), ("changed", "fill-artifact"))  # fmt: skip
HEIGHT: Final = 64  # pixels of the bars


@dataclass(frozen=True, slots=True)
class Cell:
    """Of one change how many; the word stands beside it where a row is a record."""

    number: int
    word: str


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    cells: list[Cell]
    calls: int
    environment: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    lines: list[Line]
    rest: int  # lines that are not shown
    sums: list[Cell]


@dataclass(frozen=True, slots=True)
class Bar:
    x: float  # per cent
    width: float
    y: float
    height: float
    fill: str


@dataclass(frozen=True, slots=True)
class OverTime:
    bars: list[Bar]
    first: datetime
    last: datetime
    most: int


def table(rows: dict[str, dict[str, int]], *, of_sessions: bool = False) -> Table:
    """The most changed first; below it the sums of all lines, shown or not."""
    lines = []
    for name, counts in rows.items():
        environment, _, session = name.partition("/") if of_sessions else ("", "", name)
        cells = [Cell(counts[change], word) for change, word in CHANGES.items()]
        lines.append(Line(session, cells, sum(counts.values()), environment))
    lines.sort(key=lambda line: (-sum(cell.number for cell in line.cells), -line.calls, line.name))
    sums = [
        Cell(sum(line.cells[place].number for line in lines), word)
        for place, word in enumerate(CHANGES.values())
    ]
    return Table(lines[:SHOWN], max(0, len(lines) - SHOWN), sums)


def tables(backtest: Backtest) -> dict[str, Any]:
    result = backtest.result
    return {
        "by_rule": table(result.get("by_rule", {})),
        "others": [
            ("By tool", "tool", table(result.get("by_tool", {}))),
            ("By agent", "agent", table(result.get("by_agent", {}))),
        ],
        "by_session": table(result.get("by_session", {}), of_sessions=True),
        "sessions_changed": result.get("sessions_changed", 0),
        "over_time": over_time(result.get("over_time", [])),
        "limits": [
            limit | {"name": limit_name(limit)}
            for limit in result.get("session_limits", {}).get("limits", [])
            if not limit["assumed"] or any(limit["sessions"].values())
        ],
        "observed": sorted(
            result.get("observed", {}).items(), key=lambda rule: (-rule[1], rule[0])
        ),
    }


def over_time(pieces: list[dict[str, Any]]) -> OverTime | None:
    """Columns of what changed, stacked; none where nothing did."""
    most = max((sum(piece[name] for name, _ in DRAWN) for piece in pieces), default=0)
    if not most:
        return None
    step = 100 / len(pieces)
    bars = []
    for place, piece in enumerate(pieces):
        y = float(HEIGHT)
        for name, fill in DRAWN:
            if piece[name]:
                height = max(1.5, HEIGHT * piece[name] / most)
                y -= height
                bars.append(Bar(place * step + step * 0.2, step * 0.6, y, height, fill))
    first, last = (datetime.fromisoformat(piece["at"]) for piece in (pieces[0], pieces[-1]))
    return OverTime(bars, first, last, most)


def samples(backtest: Backtest) -> list[dict[str, Any]]:
    """Some calls of each change, with what they were called with."""
    found = list(_samples(backtest))
    calls = queries.sampled_calls(
        backtest.project_id, {(each["environment"], each["call_id"]) for each in found}
    )
    return [
        each | {"arguments": arguments_line(calls.get((each["environment"], each["call_id"])))}
        for each in found
    ]


def _samples(backtest: Backtest) -> Iterator[dict[str, Any]]:
    kept = backtest.result.get("samples", {})
    for change in (*CHANGES, DRIFT):
        for sample in kept.get(change, [])[:SAMPLES]:
            yield sample | {
                "change": change,
                "word": NAMES.get(change, "Drift"),
                "at": datetime.fromisoformat(sample["timestamp"]),
            }
