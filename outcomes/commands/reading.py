"""What a claim says, thought through before anything is written: events, calls, verdicts.

All of it is pure but for two things that do no harm when the claim is taken back: large outputs
are stored as artifacts, and stored ones are read to be judged.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from governance.domain.json_value import Json
from governance.queries import check_for
from outcomes import artifact_store, codec
from outcomes.codec import Verdicts, digest_of, verdicts_of
from outcomes.commands.claims import Claimed
from outcomes.domain.call import Call
from outcomes.domain.classification import (
    CHECKED_LIMIT,
    KEPT_BY_AGENT,
    TOO_LARGE,
    Unreadable,
    artifact_value,
    classify,
)
from outcomes.domain.event import Event
from outcomes.domain.fold import fold
from outcomes.models import Artifact
from outcomes.models.inbox import ORDERS_PER_BATCH

CallKey = tuple[int, bytes]  # environment, digest of the call id


@dataclass(frozen=True, slots=True)
class Reported:
    """One accepted item, read."""

    event: Event
    packed: bytes
    batch: Claimed


@dataclass(slots=True)
class Content:
    """A large output that this claim stored as an artifact."""

    size_bytes: int
    media_type: str
    value: Json | Unreadable


@dataclass(frozen=True, slots=True)
class Told:
    """A call as far as this claim tells it; for most calls that is all there ever is."""

    call: Call
    verdicts: Verdicts
    project: int
    environment: int
    received_at: datetime


@dataclass(slots=True)
class Reading:
    events: dict[CallKey, list[Reported]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[CallKey, Told] = field(default_factory=dict)
    contents: dict[tuple[int, str], Content] = field(default_factory=dict)
    environments: dict[int, str] = field(default_factory=dict)
    items: int = 0


def read(batches: list[Claimed]) -> Reading:
    reading = Reading()
    for batch in batches:
        reading.environments[batch.environment] = batch.sender.environment
        raws = codec.unpack_batch(batch.body)
        reading.items += len(raws)
        first = batch.id * ORDERS_PER_BATCH
        for index, raw in enumerate(raws):
            event = codec.read_item(raw, batch.source, batch.sender, first + index)
            offloaded = codec.offload(event, raw)
            if offloaded is None:
                packed = codec.pack_item(raw)
            else:
                event, packed, content, media_type = offloaded
                _keep(reading, batch.project, content, media_type)
            key = (batch.environment, digest_of(event.call_id))
            reading.events[key].append(Reported(event, packed, batch))
    for key, reported in reading.events.items():
        call = fold([each.event for each in reported])
        if call is not None:
            batch = reported[0].batch  # the first that was accepted
            reading.calls[key] = Told(
                call,
                judged(call, reading, batch.project, batch.environment),
                batch.project,
                batch.environment,
                batch.sender.received_at,
            )
    return reading


def judged(call: Call, reading: Reading, project: int, environment: int) -> Verdicts:
    """What the check that is current for this call says of it."""
    name = reading.environments[environment]
    check = check_for(project, name, call.agent_id, call.tool_name)
    return verdicts_of(
        classify(call, check, lambda artifact: _value_of(reading, project, artifact))
    )


def _keep(reading: Reading, project: int, content: bytes, media_type: str) -> None:
    stored = artifact_store.store(project, [content])
    reading.contents[project, stored.sha256] = Content(
        stored.size_bytes, media_type, artifact_value(content, media_type)
    )


def _value_of(reading: Reading, project: int, artifact_id: str) -> Json | Unreadable:
    key = (project, artifact_id)
    content = reading.contents.get(key)
    if content is not None:
        return content.value
    known = Artifact.objects.filter(project=project, sha256=artifact_id).first()
    if known is None:
        return KEPT_BY_AGENT
    if known.size_bytes > CHECKED_LIMIT:
        return TOO_LARGE
    with artifact_store.Reader(project, artifact_id) as reader:
        stored = b"".join(reader.bytes_of(0, reader.size_bytes))
    return artifact_value(stored, known.media_type)
