"""Tables of a backtest result, on its page and as files, and its chart over time."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from governance.core.figures import thousands
from governance.core.tables import Columns, columns_of_keys
from governance.web.table_files import Tables
from outcomes import charts
from outcomes.backtesting.domain.sums import OTHERS
from outcomes.backtesting.queries import sampled_calls
from outcomes.backtesting.words import NAMES, has_calls, limit_name
from outcomes.models import Backtest, ChangedCall
from outcomes.recorded_calls.domain import DRIFT
from outcomes.stored.queries import arguments_line
from outcomes.web.paging import with_query

SHOWN: Final = 12
SAMPLES: Final = 4  # per change
CHANGES: Final = {
    "newly_denied": "denied",
    "newly_allowed": "allowed",
    "newly_asking": "approval",
    "changed": "other",
    "undetermined": "undetermined",
}
DRAWN: Final = (
    ("newly_denied", "newly denied", charts.Style.DENIED),
    ("newly_allowed", "newly allowed", charts.Style.EXECUTED),
    ("newly_asking", "now needs approval", charts.Style.NEUTRAL),
    ("changed", "other change", charts.Style.ARTIFACT),
)
HEIGHT: Final = 64  # pixels of the bars
BACKTESTS: Final[Columns[Backtest]] = {
    "id": lambda row: row.pk,
    "contract": lambda row: row.bundle_name,
    "version": lambda row: row.version.number if row.version else None,
    "revision_hash": lambda row: row.revision_hash,
    "environment": lambda row: row.environment.name if row.environment else None,
    "status": lambda row: row.status,
    "calls": lambda row: row.calls,
    "newly_denied": lambda row: row.newly_denied,
    "newly_allowed": lambda row: row.newly_allowed,
    "newly_asking": lambda row: row.newly_asking,
    "changed": lambda row: row.changed,
    "undetermined": lambda row: row.undetermined,
    "unchanged": lambda row: row.unchanged,
    "author": lambda row: row.author,
    "created_at": lambda row: row.created_at,
}
CHANGES_BY: Final[Columns[tuple[str, dict[str, int]]]] = {
    "name": lambda row: row[0],
    "newly_denied": lambda row: row[1]["newly_denied"],
    "newly_allowed": lambda row: row[1]["newly_allowed"],
    "newly_asking": lambda row: row[1]["newly_asking"],
    "changed": lambda row: row[1]["changed"],
    "undetermined": lambda row: row[1]["undetermined"],
}
LIMITS_OF_BACKTEST: Final[Columns[dict[str, Any]]] = {
    "limit": lambda row: row["name"],
    "rule": lambda row: row["rule"] or None,
    "assumed": lambda row: row["assumed"],
    "sessions_stopped": lambda row: row["sessions"]["recorded"],
    "by_executions": lambda row: row["sessions"]["executions"],
    "as_reported": lambda row: row["sessions"]["reported"],
    "as_classified": lambda row: row["sessions"]["classified"],
}
SAMPLES_OF_BACKTEST: Final = columns_of_keys(
    "change", "call_id", "environment", "tool_name", "was", "now", "rule", "session_id", "timestamp"
)
CHANGED_CALLS: Final[Columns[ChangedCall]] = {
    "change": lambda row: row.change,
    "call_id": lambda row: row.call.call_id,
    "environment": lambda row: row.call.environment.name,
    "tool_name": lambda row: row.call.tool.name,
    "agent_id": lambda row: row.call.agent.name,
    "session_id": lambda row: row.call.session.session_id if row.call.session else None,
    "was": lambda row: row.was,
    "was_rule": lambda row: row.was_rule or None,
    "now": lambda row: row.now,
    "rule": lambda row: row.rule or None,
    "timestamp": lambda row: row.at,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """Number of calls with one change; `word` is its label on narrow screens."""

    number: int
    word: str
    url: str = ""  # of these calls, if they are stored


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    cells: list[Cell]
    calls: int
    environment: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    lines: list[Line]
    rest: int  # changed lines that are not shown
    unchanged: int  # lines without a change, folded into one
    sums: list[Cell]


@dataclass(frozen=True, slots=True)
class OverTime:
    chart: SafeString
    most: int
    zone: str


def table(rows: dict[str, dict[str, int]], kind: str, calls_at: str) -> Table:
    """Lines with changes, most changed first, and the totals of all lines. Each figure links to its
    calls, under `calls_at`."""
    lines = []
    for name, counts in rows.items():
        environment, _, session = name.partition("/") if kind == "session" else ("", "", name)
        # Calls counted under "(others)" have no page.
        at = "" if name == OTHERS else _with(calls_at, environment=environment, **{kind: session})
        cells = _cells(counts, at)
        if any(cell.number for cell in cells):
            lines.append(Line(session, cells, sum(counts.values()), environment, at))
    lines.sort(key=lambda line: (-sum(cell.number for cell in line.cells), -line.calls, line.name))
    sums = {
        change: sum(line.cells[place].number for line in lines)
        for place, change in enumerate(CHANGES)
    }
    rest, unchanged = max(0, len(lines) - SHOWN), len(rows) - len(lines)
    return Table(lines[:SHOWN], rest, unchanged, _cells(sums, calls_at))


def _cells(counts: Mapping[str, int], calls_at: str) -> list[Cell]:
    return [
        Cell(counts[change], word, _with(calls_at, change=change))
        for change, word in CHANGES.items()
    ]


def _with(address: str, **chosen: str) -> str:
    return with_query(address, **chosen) if address else ""


def tables(backtest: Backtest, slug: str) -> dict[str, Any]:
    result = backtest.result
    calls_at = (
        reverse("outcomes:calls_of_backtest", args=[slug, backtest.pk])
        if has_calls(backtest)
        else ""
    )
    return {
        "all_url": calls_at,
        "all_changed": backtest.calls - backtest.unchanged,
        "by_rule": table(result.get("by_rule", {}), "rule", calls_at),
        "others": [
            (f"By {kind}", kind, table(result.get(f"by_{kind}", {}), kind, calls_at))
            for kind in ("tool", "agent")
        ],
        "by_session": table(result.get("by_session", {}), "session", calls_at),
        "sessions_changed": result.get("sessions_changed", 0),
        "over_time": over_time(result.get("over_time", [])),
        "limits": _limits(result),
        "observed": sorted(
            result.get("observed", {}).items(), key=lambda rule: (-rule[1], rule[0])
        ),
    }


def files_in(backtest: Backtest) -> Tables:
    """Tables of the result for download, complete."""
    result = backtest.result
    by: dict[str, tuple[Columns[Any], Iterable[Any]]] = {
        f"by-{kind}": (CHANGES_BY, result.get(f"by_{kind}", {}).items())
        for kind in ("rule", "tool", "agent", "session")
    }
    return by | {
        "limits": (LIMITS_OF_BACKTEST, _limits(result)),
        "samples": (SAMPLES_OF_BACKTEST, list(_samples(backtest))),
    }


def _limits(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        limit | {"name": limit_name(limit)}
        for limit in result.get("session_limits", {}).get("limits", [])
        if not limit["assumed"] or any(limit["sessions"].values())
    ]


def over_time(pieces: list[dict[str, Any]]) -> OverTime | None:
    """Stacked columns of changed calls, or None without changes."""
    most = max((sum(piece[name] for name, *_ in DRAWN) for piece in pieces), default=0)
    if not most:
        return None
    starts = [datetime.fromisoformat(piece["at"]) for piece in pieces]
    zone = timezone.get_current_timezone()
    rows = [
        charts.Series(
            name=word,
            style=style,
            values=[piece[name] for piece in pieces],
            total=thousands(sum(piece[name] for piece in pieces)),
        )
        for name, word, style in DRAWN
    ]
    says = f"At most {thousands(most)} in a column."
    chart = charts.columns(
        charts.TimeAxis(edges=[*starts, starts[-1] + (starts[-1] - starts[-2])], zone=zone),
        rows,
        name="Changed calls over time",
        says=says,
        height=HEIGHT,
    )
    return OverTime(chart, most, starts[0].astimezone(zone).tzname() or "")


def samples(backtest: Backtest) -> list[dict[str, Any]]:
    """Some calls of each change, with their arguments."""
    chosen = list(_samples(backtest))
    calls = sampled_calls(
        backtest.project_id, {(each["environment"], each["call_id"]) for each in chosen}
    )
    return [
        each | {"arguments": arguments_line(calls.get((each["environment"], each["call_id"])))}
        for each in chosen
    ]


def _samples(backtest: Backtest) -> Iterator[dict[str, Any]]:
    stored = backtest.result.get("samples", {})
    for change in (*CHANGES, DRIFT):
        for sample in stored.get(change, [])[:SAMPLES]:
            yield sample | {
                "change": change,
                "word": NAMES.get(change, "Drift"),
                "at": datetime.fromisoformat(sample["timestamp"]),
            }
