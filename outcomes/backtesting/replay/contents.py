"""Arguments, principal and output of calls, as raw JSON from their events.

Almost none of it is parsed here: it is passed on as sent.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec
from django.db import connection

from outcomes.backtesting.replay.rows import Row
from outcomes.core.moments import moment_of
from outcomes.database import one_of_many_digests
from outcomes.record import codec
from outcomes.record.fold import fold
from outcomes.record.outcome import NOT_REPORTED, NotReported, ToolExecutionResult
from outcomes.record.wire import Sender, Source


class Content(NamedTuple):
    """Raw JSON parts of a call, None if not sent; null counts as not sent, except as an output."""

    arguments: bytes | None = None
    principal: bytes | None = None
    output: bytes | None = None
    is_removed: bool = False  # retention removed arguments or output


class _Item(msgspec.Struct, gc=False):
    type: Any = None
    tool_args: msgspec.Raw = msgspec.Raw(b"null")
    principal: msgspec.Raw = msgspec.Raw(b"null")
    output: msgspec.Raw = msgspec.Raw(b"")
    payload: msgspec.Raw = msgspec.Raw(b"null")


class _WithArtifact(msgspec.Struct, gc=False):
    """Stored form of an item whose output became an artifact."""

    item: _Item


_Event = tuple[bytes, int, str, bytes]
_NOTHING: Final = Content()
_REMOVED: Final = Content(is_removed=True)
_NULL: Final = b"null"
_POSTED: Final = "outcomes"
_as_sent = msgspec.json.Decoder(_Item)
_with_artifact = msgspec.json.Decoder(_WithArtifact)
_encoder = msgspec.json.Encoder()
_EVENTS: Final = """
    SELECT call_digest, id, source, item FROM outcomes_event
    WHERE environment_id = %s AND NOT set_apart AND call_digest
"""


def size_of(content: Content) -> int:
    parts = content.arguments, content.principal, content.output
    return sum(len(part) for part in parts if part is not None)


def contents_of(rows: Sequence[Row]) -> list[Content]:
    """Contents of calls, in the order of the rows."""
    calls: dict[int, list[bytes]] = {}
    for row in rows:
        calls.setdefault(row.environment, []).append(row.digest)
    events = {environment: _events_of(environment, those) for environment, those in calls.items()}
    return [_content(row, events[row.environment].get(row.digest, ())) for row in rows]


def _events_of(environment: int, calls: Sequence[bytes]) -> dict[bytes, list[_Event]]:
    """Events of these calls, read without the ORM, which would double the cost."""
    events: dict[bytes, list[_Event]] = {}
    with connection.cursor() as cursor:
        those, values = one_of_many_digests(calls)
        cursor.execute(_EVENTS + those, [environment, *values])
        for event in cursor.fetchall():
            events.setdefault(event[0], []).append(event)
    return events


def _content(row: Row, events: Sequence[_Event]) -> Content:
    arguments: bytes | None = None
    principal: bytes | None = None
    output: bytes | None = None
    posted = 0
    if any(codec.removed_from(packed) for *_, packed in events):
        return _REMOVED
    for _, _, source, packed in events:
        item = _item_of(packed, source)
        sent, by = bytes(item.tool_args), bytes(item.principal)
        if sent != _NULL:
            if arguments is not None and sent != arguments:
                return _folded(row, events)
            arguments = sent
        if by != _NULL:
            if principal is not None and by != principal:
                return _folded(row, events)
            principal = by
        if source == _POSTED:
            posted += 1
            if item.type == ToolExecutionResult.kind and item.output:
                output = bytes(item.output)
    if posted > 1:  # two events report an outcome: folding decides which one counts
        return _folded(row, events)
    return Content(arguments, principal, output)


def _item_of(packed: bytes, source: str) -> _Item:
    text = codec.text_of(packed)
    item = _as_sent.decode(text) if codec.is_as_sent(packed) else _with_artifact.decode(text).item
    if source != _POSTED and bytes(item.payload).startswith(b"{"):
        inner = _as_sent.decode(item.payload)  # older SDKs put most fields there
        if bytes(item.tool_args) == _NULL:
            item.tool_args = inner.tool_args
        if bytes(item.principal) == _NULL:
            item.principal = inner.principal
    return item


def _folded(row: Row, events: Sequence[_Event]) -> Content:
    # Environment, agent and time of receipt don't affect the fields read below.
    sender = Sender("", row.agent, "", moment_of(row.at))
    call = fold(
        [
            codec.unpack_event(packed, cast(Source, source), sender, number)
            for _, number, source, packed in events
        ]
    )
    if call is None:
        return _NOTHING
    outcome = call.outcome
    output = outcome.output if isinstance(outcome, ToolExecutionResult) else NOT_REPORTED
    return Content(
        None if call.tool_args is None else _encoder.encode(call.tool_args),
        None if call.principal is None else _encoder.encode(call.principal),
        None if isinstance(output, NotReported) else _encoder.encode(output),
    )
