"""Remove payloads: events lose their arguments and outputs, and keep everything else.

A job scans events once, in acceptance order, and stores a cursor per environment.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

from outcomes.database import bulk
from outcomes.models import Call, Event, RetentionMark
from outcomes.record import codec
from outcomes.record.wire import Sender, Source
from outcomes.retention.commands.steps import EVENTS, Cursor, Place, Removed, Step
from outcomes.search.commands.indexing import note_events

_COLUMNS: Final = (
    "id", "call_digest", "agent__name", "source", "received_at", "item", "bound_to",
)  # fmt: skip


def remove_payloads(place: Place, _: Cursor | None) -> Step:
    mark, _new = RetentionMark.objects.get_or_create(environment=place.environment)
    numbers, is_last = _next_events(place, mark.payloads_to)
    if not numbers:
        return Step(Removed(), None)
    removed = _strip(place, numbers)
    mark.payloads_to = numbers[-1]
    mark.payloads_before = max(filter(None, (mark.payloads_before, place.before)))
    mark.save(update_fields=["payloads_to", "payloads_before"])
    return Step(removed, None if is_last else [mark.payloads_to])


def _next_events(place: Place, after: int) -> tuple[list[int], bool]:
    """Next due events of the project in order, and whether they are the last; they include events
    of other environments."""
    rows = Event.objects.filter(project=place.project, id__gt=after).order_by("id")
    numbers: list[int] = []
    for number, received_at in rows.values_list("id", "received_at")[:EVENTS]:
        if received_at >= place.before:
            return numbers, True
        numbers.append(number)
    return numbers, len(numbers) < EVENTS


def _strip(place: Place, numbers: Sequence[int]) -> Removed:
    rows = Event.objects.filter(
        project=place.project, environment=place.environment_id, id__in=numbers
    )
    events = list(rows.order_by("id").values_list(*_COLUMNS))
    held = _held(place, {bytes(event[1]) for event in events})
    stripped: list[tuple[int, bytes]] = []
    saved = 0
    for event in events:
        if bytes(event[1]) in held:
            continue
        packed = bytes(event[5])
        if (smaller := _stripped(place, event, packed)) is not None:
            stripped.append((event[0], smaller))
            saved += len(packed) - len(smaller)
    bulk.update(Event, ("id", "item"), stripped)
    note_events((place.project.pk, number) for number, _ in stripped)
    return Removed(len(stripped), saved)


def _stripped(place: Place, event: tuple[Any, ...], packed: bytes) -> bytes | None:
    assert place.environment is not None  # noqa: S101
    number, _, agent, source, received_at, _, bound_to = event
    sender = Sender(place.environment.name, agent, bound_to, received_at)
    read = codec.unpack_event(packed, cast(Source, source), sender, number)
    return codec.strip(packed, read)


def _held(place: Place, digests: set[bytes]) -> set[bytes]:
    """Digests of calls on legal hold."""
    if not place.holds.any:
        return set()
    rows = Call.objects.filter(environment=place.environment_id, digest__in=sorted(digests))
    calls = {number: (bytes(digest), session) for number, digest, session in
             rows.values_list("id", "digest", "session_id")}  # fmt: skip
    held = place.holds.held_calls([(number, session) for number, (_, session) in calls.items()])
    return {calls[number][0] for number in held}
