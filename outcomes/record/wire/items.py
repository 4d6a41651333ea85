"""One item of a post: checked at the door, and read into an event by the worker."""

from collections.abc import Sequence

import msgspec

from outcomes.record.event import Event
from outcomes.record.wire import posted, sdk
from outcomes.record.wire.posted import Sender, Source
from outcomes.record.wire.refusals import (
    EXCERPT,
    LONGEST_FIELD,
    ItemRefused,
    Refusal,
    Warned,
    refused,
)

_CHECKS = {"outcomes": posted.check, "events": sdk.check}
_READS = {"outcomes": posted.read, "events": sdk.read}


def check_item(
    index: int, raw: bytes, source: Source, sender: Sender
) -> Refusal | Sequence[Warned]:
    """Warnings about an item that may be kept; what passes here is never refused later."""
    try:
        unknown = _CHECKS[source](raw, sender)
    except (ItemRefused, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = refused(error)
        return Refusal(index, why.code, why.detail, raw[:EXCERPT])
    return [Warned(index, name[:LONGEST_FIELD]) for name in unknown] if unknown else ()


def read_item(raw: bytes, source: Source, sender: Sender, order: int) -> Event:
    return _READS[source](raw, sender, order)
