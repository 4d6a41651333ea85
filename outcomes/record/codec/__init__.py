"""Rows and domain values, turned into each other; the only package that knows both."""

from outcomes.record.codec.items import (
    is_as_sent,
    item_of,
    offload,
    pack_batch,
    pack_item,
    text_of,
    unpack_batch,
    unpack_event,
    unpacked_size,
)
from outcomes.record.codec.rows import (
    CALL_COLUMNS,
    STEP_COLUMNS,
    CallRow,
    Keys,
    Verdicts,
    call_row,
    call_row_of,
    step_from,
    step_of,
    verdicts_in,
    verdicts_of,
)
from outcomes.record.codec.text import as_text, digest_of
from outcomes.record.wire import read_item

__all__ = [
    "CALL_COLUMNS",
    "STEP_COLUMNS",
    "CallRow",
    "Keys",
    "Verdicts",
    "as_text",
    "call_row",
    "call_row_of",
    "digest_of",
    "is_as_sent",
    "item_of",
    "offload",
    "pack_batch",
    "pack_item",
    "read_item",
    "step_from",
    "step_of",
    "text_of",
    "unpack_batch",
    "unpack_event",
    "unpacked_size",
    "verdicts_in",
    "verdicts_of",
]
