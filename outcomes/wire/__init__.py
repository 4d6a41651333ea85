"""What agents send, read into typed events; the only place that knows the wire's names.

The door reads a body here and refuses what cannot be kept, item by item; the worker reads the
accepted items again, from the same text, into events.
"""

from outcomes.wire.body import MAX_BODY, MAX_ITEMS, Body, BodyRefused, read_body
from outcomes.wire.items import check_item, read_item
from outcomes.wire.refusals import EXCERPT, ItemRefused, Refusal
from outcomes.wire.sender import Sender, Source

__all__ = [
    "EXCERPT",
    "MAX_BODY",
    "MAX_ITEMS",
    "Body",
    "BodyRefused",
    "ItemRefused",
    "Refusal",
    "Sender",
    "Source",
    "check_item",
    "read_body",
    "read_item",
]
