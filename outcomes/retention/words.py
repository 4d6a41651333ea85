"""Texts for kinds of data, rules and runs."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from governance.core.figures import counted
from outcomes.models import RetentionRun
from outcomes.retention.domain import Kind, Rule
from outcomes.retention.queries.preview import RuleNow

NAMES: Final[Mapping[Kind, str]] = {
    Kind.PAYLOADS: "Payloads",
    Kind.ARTIFACTS: "Artifacts",
    Kind.CALLS: "Calls and events",
    Kind.ROLLUPS: "Rollups",
    Kind.APPROVALS: "Approvals",
    Kind.REJECTED: "Invalid events",
    Kind.AUDIT: "Audit log",
}
MEANINGS: Final[Mapping[Kind, str]] = {
    Kind.PAYLOADS: "arguments and outputs; calls and verdicts stay",
    Kind.ARTIFACTS: "stored content; their names and sizes stay",
    Kind.CALLS: "whole sessions only; rates and trends stay exact",
    Kind.ROLLUPS: "totals behind rates, trends and charts",
    Kind.APPROVALS: "after they ended",
    Kind.REJECTED: "with their first bytes",
    Kind.AUDIT: "the log keeps proof of what was removed",
}


def days_words(days: int | None) -> str:
    return "forever" if days is None else counted(days, "day")


def headline(rows: list[RuleNow], run: RetentionRun | None) -> str:
    """Headline: rows due for removal, or the run in progress."""
    if run is not None:
        return f"A run is removing data: {counted(run.passed, 'row')} so far"
    due = sum(row.due.rows for row in rows)
    if not due:
        return "Nothing is due for removal"
    plus = "+" if any(row.due.is_more for row in rows) else ""
    return f"{due:,}{plus} rows are due for removal"


def removed_words(run: RetentionRun) -> str:
    removed: dict[str, list[int]] = run.result.get("removed", {})
    if not removed:
        return "nothing was due"
    return ", ".join(
        f"{NAMES[Kind(kind)].lower()} {rows:,}" for kind, (rows, _) in sorted(removed.items())
    )


def retention_words(rules: Mapping[Kind, Rule]) -> str:
    """Phrase such as `Payloads 90 days, calls 400 days, rates forever`."""
    payloads, calls, rates = (
        days_words(rules[kind].days) for kind in (Kind.PAYLOADS, Kind.CALLS, Kind.ROLLUPS)
    )
    return f"Payloads {payloads}, calls {calls}, rates {rates}"


def only_sums_sentence(before: datetime) -> str:
    return (
        f"Calls before {before:%Y-%m-%d} were removed by retention. Figures for that time are"
        " exact, lists don't include those calls."
    )
