"""Legal holds: the list, and which sessions and calls they keep."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db.models import QuerySet

from outcomes.models import Call, Hold, Session
from outcomes.search.domain.language import Query, parse
from outcomes.search.queries.hits import those_matching

REMEMBERED: Final = 100_000  # cached sessions per run
AT_ONCE: Final = 2_000  # calls of sessions read at once


def holds_of(project_id: int) -> QuerySet[Hold]:
    rows = Hold.objects.filter(project=project_id)
    return rows.select_related("session__environment").order_by("-id")


def hold_of_session(session: Session) -> Hold | None:
    return getattr(session, "hold", None)


@dataclass(slots=True)
class Holds:
    """Current holds of a project. Caches per session whether a search matches it."""

    project: int
    sessions: frozenset[int] = frozenset()
    queries: Sequence[Query] = ()
    _known: dict[int, bool] = field(default_factory=dict)

    def renew(self) -> None:
        """Reload the holds. Clears the cache only if a search changed."""
        now = holds_now(self.project)
        if now.queries != self.queries:
            self._known.clear()
        self.sessions, self.queries = now.sessions, now.queries

    @property
    def any(self) -> bool:
        return bool(self.sessions or self.queries)

    def held_sessions(self, numbers: Iterable[int]) -> set[int]:
        """Sessions named by a hold, or with a call that matches the search of one."""
        candidates = set(numbers)
        held = candidates & self.sessions
        if not self.queries:
            return held
        if len(self._known) > REMEMBERED:
            self._known.clear()
        self._ask(sorted(candidates - held - self._known.keys()))
        return held | {number for number in candidates - held if self._known[number]}

    def held_calls(self, calls: Sequence[tuple[int, int | None]]) -> set[int]:
        """Held calls among these (call, session) pairs."""
        held = self.held_sessions(session for _, session in calls if session is not None)
        alone = [call for call, session in calls if session is None]
        return {call for call, session in calls if session in held} | self._matching(alone)

    def _ask(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._known[number] = False
        for start in range(0, len(numbers), 100):
            rows = Call.objects.filter(session__in=numbers[start : start + 100]).order_by("pk")
            calls = dict(rows.values_list("pk", "session_id"))
            for call in self._matching(list(calls)):
                if (session := calls[call]) is not None:
                    self._known[session] = True

    def _matching(self, calls: Sequence[int]) -> set[int]:
        matching = set[int]()
        for start in range(0, len(calls), AT_ONCE):
            part = calls[start : start + AT_ONCE]
            for query in self.queries:
                matching |= those_matching(self.project, query, part)
        return matching


def holds_now(project_id: int) -> Holds:
    rows = list(Hold.objects.filter(project=project_id))
    return Holds(
        project_id,
        frozenset(row.session_id for row in rows if row.session_id is not None),
        tuple(parse(row.query) for row in rows if row.query),
    )
