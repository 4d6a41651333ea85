"""Calls with their events as they are stored, and folded from them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from outcomes.models import Call
from outcomes.models import Event as EventRow
from outcomes.record import codec
from outcomes.record.call import Call as Folded
from outcomes.record.event import Event
from outcomes.record.fold import fold
from outcomes.record.wire import Sender, Source

IN_ONE_QUERY = 500


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it was accepted: typed, and in the words it came in."""

    row: EventRow
    event: Event
    source: Source


@dataclass(frozen=True, slots=True)
class WholeCall:
    """A call's row with all that its events tell."""

    row: Call
    folded: Folded
    events: list[StoredEvent]


def whole_calls(rows: Sequence[Call]) -> list[WholeCall]:
    """The same calls with everything that was said about them: a query per 500."""
    events = events_of(rows)
    whole = []
    for row in rows:
        stored = events[row.environment_id, bytes(row.digest)]
        folded = fold([each.event for each in stored])
        if folded is not None:
            whole.append(WholeCall(row, folded, stored))
    return whole


def events_of(rows: Sequence[Call]) -> dict[tuple[int, bytes], list[StoredEvent]]:
    found: dict[tuple[int, bytes], list[StoredEvent]] = defaultdict(list)
    for start in range(0, len(rows), IN_ONE_QUERY):
        part = rows[start : start + IN_ONE_QUERY]
        stored = (
            EventRow.objects.filter(
                environment__in={row.environment_id for row in part},
                call_digest__in=[row.digest for row in part],
            )
            .select_related("agent", "environment")
            .order_by("id")
        )
        for each in read_events(stored):
            found[each.row.environment_id, bytes(each.row.call_digest)].append(each)
    return found


def read_events(rows: Iterable[EventRow]) -> Iterable[StoredEvent]:
    for row in rows:
        source = cast(Source, row.source)
        sender = Sender(row.environment.name, row.agent.name, row.bound_to, row.received_at)
        yield StoredEvent(row, codec.unpack_event(bytes(row.item), source, sender, row.pk), source)
