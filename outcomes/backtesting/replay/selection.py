"""Selection of the recorded calls that a backtest covers, read session by session, in order.

Rows are paged by key, a few thousand at a time, so that memory and transactions stay bounded. A
session is read from its first call, because its limits count earlier calls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final, NamedTuple, Protocol

from django.db.models import Count, Max, Min, QuerySet

from outcomes.backtesting.replay import rows
from outcomes.backtesting.replay.rows import Row, Rows
from outcomes.core.moments import micros_of
from outcomes.models import Call, Session
from outcomes.record.globs import is_named

SESSIONS: Final = 500
_PLACE: Final = ("at", "call_index", "order")


class Extent(NamedTuple):
    calls: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Chunk:
    rows: list[Row]
    sessions: dict[int, str]  # ids given by agents


class Some(Protocol):
    """Subset of the calls of a period."""

    def has(self, row: Row) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Selection:
    project: int
    until: datetime
    since: datetime | None = None
    environment: int | None = None
    agents: tuple[str, ...] = ()  # globs; empty: all
    tools: tuple[str, ...] = ()
    some: Some | None = None  # None: all

    @cached_property
    def has_all(self) -> bool:
        """Whether every call that is read is selected."""
        return not (self.since or self.agents or self.tools or self.some)

    def has(self, row: Row) -> bool:
        return self.has_all or (
            self.is_of_that_time(row)
            and is_named(row.agent, self.agents)
            and is_named(row.tool, self.tools)
            and (self.some is None or self.some.has(row))
        )

    def is_of_that_time(self, row: Row) -> bool:
        return self._from is None or row.at >= self._from

    @cached_property
    def _from(self) -> int | None:
        return None if self.since is None else micros_of(self.since)

    def extent(self) -> Extent:
        """Number and period of the calls to read, by all agents."""
        extent = (
            self.calls().order_by().aggregate(calls=Count("id"), first=Min("at"), last=Max("at"))
        )
        return Extent(extent["calls"], extent["first"], extent["last"])

    def calls(self) -> QuerySet[Call]:
        """Calls of the period, by all agents."""
        return self._calls(Call.objects.filter(project=self.project))

    def chunks(self) -> Iterator[Chunk]:
        reading = Rows()
        for sessions in self._sessions():
            group: dict[int, str] = {}
            size = 0
            for number, name, attempts in sessions:
                if attempts > rows.ROWS:
                    yield from self._long_session(reading, number, name)
                    continue
                if size + attempts > rows.ROWS and group:
                    yield self._session_chunk(reading, group)
                    group, size = {}, 0
                group[number] = name
                size += attempts
            if group:
                yield self._session_chunk(reading, group)
        yield from self._without_session(reading)

    def _sessions(self) -> Iterator[Sequence[tuple[int, str, int]]]:
        sessions = Session.objects.filter(project=self.project, first_at__lt=self.until)
        if self.since is not None:
            sessions = sessions.filter(last_at__gte=self.since)
        if self.environment is not None:
            sessions = sessions.filter(environment=self.environment)
        pages = sessions.order_by("id").values_list("id", "session_id", "attempts")
        after = 0
        while page := list(pages.filter(id__gt=after)[:SESSIONS]):
            yield page
            after = page[-1][0]

    def _session_chunk(self, reading: Rows, group: dict[int, str]) -> Chunk:
        calls = Call.objects.filter(session__in=list(group), at__lt=self.until)
        return Chunk(reading.of(calls.order_by("session", *_PLACE)), group)

    def _long_session(self, reading: Rows, number: int, name: str) -> Iterator[Chunk]:
        calls = Call.objects.filter(session=number, at__lt=self.until).order_by(*_PLACE)
        for page in reading.pages(calls, _PLACE):
            yield Chunk(page, {number: name})

    def _without_session(self, reading: Rows) -> Iterator[Chunk]:
        place = ("at", "order")
        calls = self._calls(Call.objects.filter(project=self.project, session=None))
        for page in reading.pages(calls.order_by(*place), place):
            yield Chunk(page, {})

    def _calls(self, calls: QuerySet[Call]) -> QuerySet[Call]:
        calls = calls.filter(at__lt=self.until)
        if self.since is not None:
            calls = calls.filter(at__gte=self.since)
        if self.environment is not None:
            calls = calls.filter(environment=self.environment)
        return calls
