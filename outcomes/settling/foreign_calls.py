"""Events about calls of agents that their key may not speak for: marked, and listed as rejected."""

from collections.abc import Sequence

from outcomes.models import Event as EventModel
from outcomes.models import RejectedItem
from outcomes.models.inbox import ORDERS_PER_BATCH
from outcomes.record.codec import as_text, text_of
from outcomes.record.event import Event
from outcomes.record.ownership import foreign
from outcomes.record.wire import EXCERPT

CODE = "foreign_call"


class SetApart:
    """Calls that one claim sets apart or brings back; written once, after the calls."""

    def __init__(self) -> None:
        self._apart: set[int] = set()
        self._back: set[int] = set()

    def note(self, events: Sequence[Event], earlier: Sequence[Event]) -> None:
        """All events of a call, and those of them that were there before this claim."""
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
