"""Which recorded calls a backtest is about, and these calls read session by session, in order.

Rows come by key and some thousands at a time, so that neither the memory nor a transaction grows
with them. A session is read from its first call on: its limits count what came before.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import Count, Max, Min, Q, QuerySet

from governance.domain.globs import glob_matches
from outcomes.models import Call, Session

ROWS: Final = 2_000
SESSIONS: Final = 500
_PLACE: Final = ("at", "call_index", "order")


class Row(NamedTuple):
    """A call as a backtest looks at it, its fields in the order of COLUMNS."""

    id: int
    session: int | None
    at: datetime
    call_index: int
    order: int
    environment: int
    digest: bytes
    call_id: str
    agent: str
    tool: str
    kind: str
    verdict: str
    reported: str
    classified: str
    reason: str
    rule: str
    from_sdk: bool
    version: int | None
    asked: bool
    arguments: bytes | None


COLUMNS: Final = tuple(
    {"agent": "agent__name", "tool": "tool__name"}.get(name, name) for name in Row._fields
)


class Extent(NamedTuple):
    calls: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Chunk:
    rows: list[Row]
    sessions: dict[int, str]  # the ids that agents gave them


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    project: int
    until: datetime
    since: datetime | None = None
    environment: int | None = None
    agents: tuple[str, ...] = ()  # globs; none: all
    tools: tuple[str, ...] = ()

    def has(self, row: Row) -> bool:
        """Whether this call of a session that was read is one of them."""
        return (
            self.is_of_that_time(row)
            and _is_named(row.agent, self.agents)
            and _is_named(row.tool, self.tools)
        )

    def is_of_that_time(self, row: Row) -> bool:
        return self.since is None or row.at >= self.since

    def extent(self) -> Extent:
        """Of all calls in that time, whoever made them: what there is to read."""
        found = self._calls(Call.objects.filter(project=self.project))
        told = found.order_by().aggregate(calls=Count("id"), first=Min("at"), last=Max("at"))
        return Extent(told["calls"], told["first"], told["last"])

    def chunks(self) -> Iterator[Chunk]:
        for sessions in self._sessions():
            group: dict[int, str] = {}
            size = 0
            for number, name, attempts in sessions:
                if attempts > ROWS:
                    yield from self._long_session(number, name)
                    continue
                if size + attempts > ROWS and group:
                    yield self._of_sessions(group)
                    group, size = {}, 0
                group[number] = name
                size += attempts
            if group:
                yield self._of_sessions(group)
        yield from self._without_session()

    def _sessions(self) -> Iterator[Sequence[tuple[int, str, int]]]:
        found = Session.objects.filter(project=self.project, first_at__lt=self.until)
        if self.since is not None:
            found = found.filter(last_at__gte=self.since)
        if self.environment is not None:
            found = found.filter(environment=self.environment)
        rows = found.order_by("id").values_list("id", "session_id", "attempts")
        after = 0
        while page := list(rows.filter(id__gt=after)[:SESSIONS]):
            yield page
            after = page[-1][0]

    def _of_sessions(self, group: dict[int, str]) -> Chunk:
        found = Call.objects.filter(session__in=list(group), at__lt=self.until)
        return Chunk(_rows(found.order_by("session", *_PLACE)), group)

    def _long_session(self, number: int, name: str) -> Iterator[Chunk]:
        found = Call.objects.filter(session=number, at__lt=self.until).order_by(*_PLACE)
        for rows in _pages(found, _PLACE):
            yield Chunk(rows, {number: name})

    def _without_session(self) -> Iterator[Chunk]:
        place = ("at", "order")
        found = self._calls(Call.objects.filter(project=self.project, session=None))
        for rows in _pages(found.order_by(*place), place):
            yield Chunk(rows, {})

    def _calls(self, found: QuerySet[Call]) -> QuerySet[Call]:
        found = found.filter(at__lt=self.until)
        if self.since is not None:
            found = found.filter(at__gte=self.since)
        if self.environment is not None:
            found = found.filter(environment=self.environment)
        return found


def _pages(found: QuerySet[Call], place: Sequence[str]) -> Iterator[list[Row]]:
    page = _rows(found[:ROWS])
    while page:
        yield page
        last = page[-1]
        beyond, equal = Q(), Q()
        for name in place:
            beyond |= equal & Q((f"{name}__gt", getattr(last, name)))
            equal &= Q((name, getattr(last, name)))
        page = _rows(found.filter(beyond, at__gte=last.at)[:ROWS])


def _rows(found: QuerySet[Call]) -> list[Row]:
    rows: Iterable[tuple[Any, ...]] = found.values_list(*COLUMNS)
    return [Row(*row) for row in rows]


def _is_named(name: str, globs: tuple[str, ...]) -> bool:
    return not globs or any(glob_matches(glob, name) for glob in globs)
