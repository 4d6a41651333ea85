"""Select the calls to reclassify, and read them by key, a few thousand at a time.

Sessions are read completely and in order, as the effect of a verdict on a session depends on all
earlier calls. Calls without a session are read separately, by time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Final, NamedTuple

from django.db.models import Max, Min, Q, QuerySet

from outcomes.database import bulk
from outcomes.models import Call, Session
from outcomes.models.rejudging import MOST_PARTS
from outcomes.record.call_columns import COLUMNS, Row
from outcomes.record.codec import digest_of
from outcomes.record.globs import is_named
from outcomes.stored.queries import ANY_CALL, CallFilter, calls

ROWS: Final = 2_000
SESSIONS: Final = 500
CALLS_OF_A_PART: Final = 10_000


_OF_A_SESSION: Final = ("at", "call_index", "order")
_WITHOUT: Final = ("at", "order")


class Place(NamedTuple):
    """Cursor: the last call that was read. All calls before it are done."""

    session: int | None
    call: tuple[Any, ...]  # its time, then tie-breakers

    def as_json(self) -> dict[str, Any]:
        at, *rest = self.call
        return {"session": self.session, "call": [at.isoformat(), *rest]}


def place_of(stored: dict[str, Any]) -> Place | None:
    if not stored:
        return None
    at, *rest = stored["call"]
    return Place(stored["session"], (datetime.fromisoformat(at).astimezone(UTC), *rest))


class Known(NamedTuple):
    """A session's name and contract version, as needed with its calls."""

    name: str
    version: int | None  # contract version that governed its last call


@dataclass(frozen=True, slots=True)
class Chunk:
    rows: list[Row]
    sessions: dict[int, Known]

    @property
    def place(self) -> Place:
        last = self.rows[-1]
        if last.session is None:
            return Place(None, (last.at, last.order))
        return Place(last.session, (last.at, last.call_index, last.order))


class Share(NamedTuple):
    """Range of sessions that one process reads; None: the calls without a session."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    project: int
    until: datetime
    since: datetime | None = None
    environment: int | None = None
    agents: tuple[str, ...] = ()  # globs; none: all
    tools: tuple[str, ...] = ()
    call_filter: CallFilter = ANY_CALL

    def among(self, rows: Sequence[Row]) -> list[Row]:
        """Calls of a chunk that match the selection and have a verdict."""
        chosen = [row for row in rows if self._has(row)]
        if self.call_filter == ANY_CALL:
            return chosen
        fitting = calls(self.project, self.call_filter).order_by()
        changed = fitting.filter(id__in=[row.id for row in chosen])
        numbers = set(changed.values_list("id", flat=True))
        return [row for row in chosen if row.id in numbers]

    def _has(self, row: Row) -> bool:
        return (
            row.ran
            and (self.since is None or row.at >= self.since)
            and is_named(row.agent, self.agents)
            and is_named(row.tool, self.tools)
        )

    def to_read(self) -> int:
        """Number of calls in the period, environment and session, whether or not they match."""
        return self._calls().count()

    def shares(self, calls: int) -> list[Share]:
        """Equal ranges of sessions, small enough that processes finish at about the same time."""
        ends = self._sessions().aggregate(first=Min("id"), last=Max("id"))
        shares = [Share(None, None)] if self._calls().filter(session=None).exists() else []
        if ends["first"] is None:
            return shares
        first, width = ends["first"], ends["last"] - ends["first"] + 1
        number = min(max(calls // CALLS_OF_A_PART, 1), MOST_PARTS, width)
        borders = [first + width * each // number for each in range(number + 1)]
        return shares + [Share(begin, end - 1) for begin, end in pairwise(borders)]

    def chunks(self, share: Share, after: Place | None) -> Iterator[Chunk]:
        """Chunks of a share after a cursor. None is empty, and all but long sessions are read in
        one chunk."""
        if share.first is None or share.last is None:
            for rows in _pages(self._without_session(), _WITHOUT, after.call if after else None):
                yield Chunk(rows, {})
            return
        first = share.first
        if after is not None and after.session is not None:
            yield from self._rest_of_session(after.session, after.call)
            first = after.session + 1
        for group in self._groups(first, share.last):
            yield from self._session_chunks(group)

    def again(self, calls: Iterable[int]) -> list[Row]:
        """Current rows of these calls, if they still exist in the period and environment."""
        return _rows(self._calls().filter(id__in=list(calls)))

    def _groups(self, first: int, last: int) -> Iterator[dict[int, tuple[Known, int]]]:
        group: dict[int, tuple[Known, int]] = {}
        size = 0
        rows = self._sessions().filter(id__lte=last).order_by("id")
        columns = rows.values_list("id", "session_id", "version", "attempts")
        while page := list(columns.filter(id__gte=first)[:SESSIONS]):
            for number, name, version, attempts in page:
                if group and size + attempts > ROWS:
                    yield group
                    group, size = {}, 0
                group[number] = Known(name, version), attempts
                size += attempts
            first = page[-1][0] + 1
        if group:
            yield group

    def _session_chunks(self, group: dict[int, tuple[Known, int]]) -> Iterator[Chunk]:
        sessions = {number: known for number, (known, _) in group.items()}
        if len(group) == 1:
            ((number, (_, attempts)),) = group.items()
            if attempts > ROWS:
                for rows in _pages(self._session_calls(number), _OF_A_SESSION, None):
                    yield Chunk(rows, sessions)
                return
        calls = Call.objects.filter(session__in=list(sessions), at__lt=self.until)
        if rows := _rows(calls.order_by("session", *_OF_A_SESSION)):
            yield Chunk(rows, sessions)

    def _rest_of_session(self, number: int, after: tuple[Any, ...]) -> Iterator[Chunk]:
        known = Session.objects.filter(id=number).values_list("session_id", "version").first()
        if known is not None:
            for rows in _pages(self._session_calls(number), _OF_A_SESSION, after):
                yield Chunk(rows, {number: Known(*known)})

    def _session_calls(self, number: int) -> QuerySet[Call]:
        return Call.objects.filter(session=number, at__lt=self.until).order_by(*_OF_A_SESSION)

    def _without_session(self) -> QuerySet[Call]:
        return self._calls().filter(session=None).order_by(*_WITHOUT)

    def _sessions(self) -> QuerySet[Session]:
        sessions = Session.objects.filter(project=self.project, first_at__lt=self.until).order_by()
        if self.since is not None:
            sessions = sessions.filter(last_at__gte=self.since)
        if self.environment is not None:
            sessions = sessions.filter(environment=self.environment)
        if self.call_filter.session:
            sessions = sessions.filter(digest=digest_of(self.call_filter.session))
        return sessions

    def _calls(self) -> QuerySet[Call]:
        calls = Call.objects.filter(project=self.project, at__lt=self.until).order_by()
        if self.since is not None:
            calls = calls.filter(at__gte=self.since)
        if self.environment is not None:
            calls = calls.filter(environment=self.environment)
        if self.call_filter.session:
            calls = calls.filter(session__digest=digest_of(self.call_filter.session))
        return calls


def _pages(
    calls: QuerySet[Call], order: Sequence[str], after: tuple[Any, ...] | None
) -> Iterator[list[Row]]:
    while True:
        part = calls
        if after is not None:
            beyond, equal = Q(), Q()
            for name, value in zip(order, after, strict=True):
                beyond |= equal & Q((f"{name}__gt", value))
                equal &= Q((name, value))
            part = calls.filter(beyond, at__gte=after[0])
        page = _rows(part[:ROWS])
        if not page:
            return
        yield page
        after = tuple(getattr(page[-1], name) for name in order)


def _rows(calls: QuerySet[Call]) -> list[Row]:
    return [Row(*row) for row in bulk.rows_of(calls.values_list(*COLUMNS))]
