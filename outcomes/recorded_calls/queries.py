"""Stored calls that a backtest would change, and counts of all of them, stored or not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from outcomes.models import Backtest, ChangedCall
from outcomes.record.codec import as_text, digest_of
from outcomes.recorded_calls.domain import DRIFT, Change
from outcomes.web.paging import Page, Place, page_of

CHANGES: Final = tuple(change.value for change in Change if change is not Change.UNCHANGED)
PLACE: Final = ("at", "id")
_NAMED: Final = ("call__agent", "call__tool", "call__session", "call__environment")
_TABLES: Final = ("rule", "tool", "agent", "session")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFilter:
    """Filters of changed calls; empty fields filter nothing."""

    change: str = ""  # one of CHANGES, or drift
    rule: str = ""  # that causes the change
    tool: str = ""
    agent: str = ""
    session: str = ""
    environment: str = ""  # of the session

    @property
    def groups(self) -> list[tuple[str, str]]:
        """Filters other than the change, as pairs of table and name."""
        session = f"{self.environment}/{self.session}" if self.session else ""
        named = zip(_TABLES, (self.rule, self.tool, self.agent, session), strict=True)
        return [(table, name) for table, name in named if name]


def changed_calls(
    backtest: Backtest,
    filters: ChangedFilter,
    *,
    size: int,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[ChangedCall]:
    """One page of stored calls, newest first."""
    calls = _such(backtest, filters).select_related(*_NAMED).defer("call__session__tally")
    return page_of(calls, PLACE, size=size, before=before, after=after)


def number_stored(backtest: Backtest, filters: ChangedFilter) -> int:
    return _such(backtest, filters).count()


def number_of_changed(backtest: Backtest, filters: ChangedFilter) -> int | None:
    """Number of such calls, stored or not; None if the result has no count for these filters."""
    groups = filters.groups
    if not groups:
        if filters.change == DRIFT:
            return backtest.drift
        counts: dict[str, int] = {change: getattr(backtest, change) for change in CHANGES}
    elif len(groups) > 1 or filters.change == DRIFT:
        return None
    else:
        ((table, name),) = groups
        rows: Mapping[str, Mapping[str, int]] = backtest.result.get(f"by_{table}", {})
        if name not in rows:
            return None
        counts = {change: rows[name][change] for change in CHANGES}
    return counts.get(filters.change, 0) if filters.change else sum(counts.values())


def _such(backtest: Backtest, filters: ChangedFilter) -> QuerySet[ChangedCall]:
    calls = ChangedCall.objects.filter(backtest=backtest)
    # A drifted call has a row for the drift and another for its change, so list only one of them.
    calls = calls.filter(change__in=[filters.change] if filters.change else CHANGES)
    if filters.rule:
        calls = calls.filter(behind=as_text(filters.rule))
    if filters.tool:
        calls = calls.filter(call__tool__digest=digest_of(filters.tool))
    if filters.agent:
        calls = calls.filter(call__agent__digest=digest_of(filters.agent))
    if filters.session:
        calls = calls.filter(
            call__session__digest=digest_of(filters.session),
            call__environment__name=as_text(filters.environment),
        )
    return calls
