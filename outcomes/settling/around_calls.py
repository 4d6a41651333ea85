"""Effects of a claim beyond its calls: child sessions, newest calls, and events without effect."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from outcomes.database import bulk
from outcomes.figures.commands.grouping import Change
from outcomes.models import AgentSeen, ChildSession, RejectedItem
from outcomes.models import Event as EventModel
from outcomes.models.inbox import ORDERS_PER_BATCH
from outcomes.record.codec import CallRow, as_text, digest_of, text_of
from outcomes.record.event import Event
from outcomes.record.ownership import foreign
from outcomes.record.wire import EXCERPT


class Child(NamedTuple):
    environment: int
    parent: str  # session id
    session: int


def link_children(children: Iterable[Child]) -> None:
    """Link sessions to their parents. Existing links are skipped: each call repeats its own."""
    links = {(each.environment, digest_of(each.parent), each.session): each for each in children}
    if not links:
        return
    there = ChildSession.objects.filter(session__in={each.session for each in links.values()})
    for environment, digest, session in there.values_list(
        "environment", "parent_digest", "session__id"
    ):
        links.pop((environment, bytes(digest), session), None)
    ChildSession.objects.bulk_create(
        [
            ChildSession(
                environment_id=environment,
                parent_digest=digest,
                parent=as_text(links[environment, digest, session].parent),
                session_id=session,
            )
            for environment, digest, session in sorted(links)
        ],
        ignore_conflicts=True,
    )


def note_agents(changes: Iterable[Change]) -> None:
    newest: dict[tuple[int, int], CallRow] = {}
    for _, row in changes:
        place = (row.environment, row.agent)
        known = newest.get(place)
        if known is None or (row.at, row.order) > (known.at, known.order):
            newest[place] = row
    rows = sorted((*place, row.at, row.id) for place, row in newest.items())
    bulk.keep_newest(AgentSeen, ("environment", "agent"), "at", ("call",), rows)


CODE = "foreign_call"


class SetApart:
    """Events that one claim sets apart or restores; written once, after the calls."""

    def __init__(self) -> None:
        self._apart: set[int] = set()
        self._back: set[int] = set()

    def note(self, events: Sequence[Event], earlier: Sequence[Event]) -> None:
        """Compare all events of a call with those stored before this claim."""
        if not any(event.bound_to for event in events):
            return
        apart = {event.order for event in foreign(events)}
        before = {event.order for event in foreign(earlier)}
        self._apart |= apart - before
        self._back |= before - apart

    def write(self) -> None:
        if self._back:
            EventModel.objects.filter(pk__in=self._back).update(set_apart=False)
        if self._apart:
            rows = EventModel.objects.filter(pk__in=self._apart)
            rows.update(set_apart=True)
            RejectedItem.objects.bulk_create(map(_rejected, rows.select_related("agent")))


def _rejected(row: EventModel) -> RejectedItem:
    detail = (
        f"call_id: this call is not of an agent that the key speaks for ({row.bound_to!r}), so the"
        " item changes nothing about it."
    )
    return RejectedItem(
        project_id=row.project_id,
        environment_id=row.environment_id,
        agent=row.agent.name,
        source=row.source,
        index=row.pk % ORDERS_PER_BATCH,
        code=CODE,
        detail=as_text(detail),
        excerpt=text_of(bytes(row.item))[:EXCERPT],
        received_at=row.received_at,
    )
