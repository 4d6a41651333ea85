"""Packing of items in the inbox and in event rows.

Bodies and items are stored as sent, compressed. The first byte of an event's item says how to read
the rest: as sent, with its output moved to an artifact, or without the payload that retention
removed.
"""

import ctypes
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import msgspec

from outcomes.record.event import Event, Posted
from outcomes.record.outcome import (
    INLINE_LIMIT,
    REMOVED,
    NotReported,
    ToolArtifactReference,
    ToolExecutionResult,
    artifact_bytes,
    fits_inline,
    summary_of,
)
from outcomes.record.wire import ARGUMENTS, OUTPUT, Sender, Source, read_item, remove_payload

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LARGEST = 64 * 1024  # bytes of output; for larger frames a reused context saves little


class Decompressor:
    """Decompressor for frames with this dictionary, for one thread. Falls back to the zstd module
    for large or broken frames, and for all of them if the C library cannot be loaded."""

    def __init__(self, common: zstd.ZstdDict) -> None:
        self._common = common
        self._library = library = _library()
        if library is None:
            return
        dictionary = common.dict_content
        self._context = library.ZSTD_createDCtx()
        self._dictionary = library.ZSTD_createDDict(dictionary, len(dictionary))
        self._out = ctypes.create_string_buffer(LARGEST)
        self._place = ctypes.addressof(self._out)

    def __call__(self, frame: bytes) -> bytes:
        if self._library is not None and frame:
            length: int = self._library.ZSTD_decompress_usingDDict(
                self._context, self._place, LARGEST, frame, len(frame), self._dictionary
            )
            if length <= LARGEST:  # error codes are larger than any length
                return ctypes.string_at(self._place, length)
        return zstd.decompress(frame, zstd_dict=self._common)

    def __del__(self) -> None:
        if self._library is not None:
            self._library.ZSTD_freeDCtx(self._context)
            self._library.ZSTD_freeDDict(self._dictionary)


def _library() -> Any:
    """C library inside the zstd module. None if its path is unknown or its symbols are hidden."""
    path = getattr(getattr(zstd, "_zstd", None), "__file__", None)
    if path is None:
        return None
    try:
        # PyDLL keeps the GIL: releasing it would take longer than these short calls.
        library = ctypes.PyDLL(path)
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (AttributeError, OSError):
        return None
    return library


_OBJECT, _SIZE, _BYTES = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "ZSTD_createDCtx": (_OBJECT, []),
    "ZSTD_freeDCtx": (_SIZE, [_OBJECT]),
    "ZSTD_createDDict": (_OBJECT, [_BYTES, _SIZE]),
    "ZSTD_freeDDict": (_SIZE, [_OBJECT]),
    "ZSTD_decompress_usingDDict": (_SIZE, [_OBJECT, _OBJECT, _SIZE, _BYTES, _SIZE, _OBJECT]),
}


def digest_of(identifier: str) -> bytes:
    """Index key for an identifier of any length: the first 16 bytes of its SHA-256."""
    return sha256(identifier.encode()).digest()[:16]


def as_text(value: str) -> str:
    """Text with NUL replaced by its visible symbol, for display columns: PostgreSQL rejects NUL."""
    return value.replace("\0", "\N{SYMBOL FOR NULL}") if "\0" in value else value


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

AS_SENT, OFFLOADED, STRIPPED = b"\x01", b"\x02", b"\x03"

# Text that items have in common, so that one item compresses nearly as well as many together.
# Stored rows need this dictionary forever: a new one would need its own first byte.
_COMMON = zstd.ZstdDict(
    b'"payload":{"decision_source":null,"reason":null,"schema_version":"0.3.0","hooks_evaluated":[]'
    b',"rules_evaluated":[{"name":"","type":"precondition","passed":true,"message":""}],"mode":'
    b'"enforce","policy_version":"","run_id":"","parent_call_id":null,"duration_ms":0,"error":null'
    b',"result_summary":null,"session_attempt_count":0,"session_execution_count":0,"policy_error":'
    b'false,"side_effect":"read","environment":"production","action":"call_executed","postconditions'
    b'_passed":true,"metadata":{},"type":"denied","reason":"contract","details":"","type":"failure"'
    b',"error":"","retryable":true,"type":"timeout","deadline_s":30,"idempotent":true,"policy_'
    b'version":"","principal":{"user_id":"","role":""},"tool_args":{"url":"https://","id":""},'
    b'"type":"execution_result","call_id":"","tool_name":"","output":{"status":200,"ok":true},'
    b'"elapsed_ms":41,"agent_id":"","session_id":"","turn_id":"","timestamp":"2026-01-01T00:00:00'
    b'.000000+00:00","tool_success":true}',
    is_raw=True,
)
# Level 1 with longer minimum matches and a small hash table: 10 % of the time for 1 % more size.
_QUICKLY: dict[int, int] = {
    zstd.CompressionParameter.compression_level: 1,
    zstd.CompressionParameter.hash_log: 11,
    zstd.CompressionParameter.min_match: 6,
}
_of_thread = threading.local()  # compressors and decompressors are not thread-safe
_any = msgspec.json.Decoder()
_raws = msgspec.json.Decoder(list[msgspec.Raw])


def pack_batch(raws: Sequence[bytes]) -> bytes:
    return zstd.compress(b"[" + b",".join(raws) + b"]", 1)


def unpack_batch(body: bytes) -> list[bytes]:
    return [bytes(raw) for raw in _raws.decode(zstd.decompress(body))]


def unpacked_size(body: bytes) -> int:
    try:
        return zstd.get_frame_info(body).decompressed_size or 0
    except zstd.ZstdError:
        return 0  # not a batch: unpacking raises the error


def pack_item(raw: bytes) -> bytes:
    return AS_SENT + _compress(raw)


def offload(event: Event, raw: bytes) -> tuple[Event, bytes, bytes, str] | None:
    """Replace an output too large to inline: referring event, its item, content and media type.

    None if the output fits, as usual. Serialising lengthens a number at most fivefold.
    """
    if len(raw) * 5 <= INLINE_LIMIT or not isinstance(event.report, Posted):
        return None
    outcome = event.report.outcome
    if not isinstance(outcome, ToolExecutionResult) or isinstance(outcome.output, NotReported):
        return None
    if fits_inline(outcome.output):
        return None
    content, media_type = artifact_bytes(outcome.output)
    reference = {
        "artifact_id": sha256(content).hexdigest(),
        "summary": summary_of(outcome.output),
        "size_bytes": len(content),
    }
    item = _any.decode(raw)
    del item["output"]
    stored = {
        "item": item,
        "reference": reference,
        "digest": event.digest.hex(),
        "tie": event.tie.hex(),
    }
    packed = OFFLOADED + _compress(msgspec.json.encode(stored))
    return _referring(event, reference), packed, content, media_type


def unpack_event(packed: bytes, source: Source, sender: Sender, order: int) -> Event:
    text = text_of(packed)
    if packed[:1] == AS_SENT:
        return read_item(text, source, sender, order)
    stored = _any.decode(text)
    event = read_item(msgspec.json.encode(stored["item"]), source, sender, order)
    event = replace(event, digest=bytes.fromhex(stored["digest"]), tie=bytes.fromhex(stored["tie"]))
    if "removed" in stored:
        event = _without(event, stored["removed"])
    return _referring(event, stored["reference"]) if "reference" in stored else event


def strip(packed: bytes, event: Event) -> bytes | None:
    """Item without arguments and output, or None if it has neither.

    Its digest and call id stay unchanged, so that repeats are still recognised and later events
    still match the call.
    """
    if packed[:1] == STRIPPED:
        return None
    data = _any.decode(text_of(packed))
    stored = (
        {"item": data, "digest": event.digest.hex(), "tie": event.tie.hex()}
        if packed[:1] == AS_SENT
        else data
    )
    removed = remove_payload(stored["item"])
    if not removed:
        return None
    stored["item"]["call_id"] = event.call_id
    stored["removed"] = removed
    return STRIPPED + _compress(msgspec.json.encode(stored))


def lost_arguments(packed: bytes) -> bool:
    """Whether retention removed the arguments of this item."""
    return packed[:1] == STRIPPED and ARGUMENTS in _any.decode(text_of(packed))["removed"]


def lost_output(packed: bytes) -> bool:
    return packed[:1] == STRIPPED and OUTPUT in _any.decode(text_of(packed))["removed"]


def removed_from(packed: bytes) -> list[str]:
    """Names of the fields that retention removed from this item."""
    return list(_any.decode(text_of(packed))["removed"]) if packed[:1] == STRIPPED else []


def text_of(packed: bytes) -> bytes:
    """Unpacked bytes of an item: as sent, or for OFFLOADED its stored form."""
    unpacker = getattr(_of_thread, "unpacker", None)
    if unpacker is None:
        unpacker = _of_thread.unpacker = Decompressor(_COMMON)
    text: bytes = unpacker(packed[1:])
    return text


def is_as_sent(packed: bytes) -> bool:
    return packed[:1] == AS_SENT


def item_of(packed: bytes) -> dict[str, Any]:
    """Item as sent, without an output that became an artifact."""
    data: dict[str, Any] = _any.decode(text_of(packed))
    return data if packed[:1] == AS_SENT else data["item"]


def _without(event: Event, removed: Sequence[str]) -> Event:
    if ARGUMENTS in removed:
        event = replace(event, lost_arguments=True)
    report = event.report
    if OUTPUT in removed and isinstance(report, Posted):
        outcome = report.outcome
        if isinstance(outcome, ToolExecutionResult):
            event = replace(event, report=replace(report, outcome=replace(outcome, output=REMOVED)))
    return event


def _referring(event: Event, reference: Mapping[str, Any]) -> Event:
    outcome = ToolArtifactReference(call_id=event.call_id, tool_name=event.tool_name, **reference)
    elapsed = event.report.elapsed_ms if isinstance(event.report, Posted) else None
    return replace(event, report=Posted(outcome, elapsed))


def _compress(data: bytes) -> bytes:
    packer = getattr(_of_thread, "packer", None)
    if packer is None:
        packer = _of_thread.packer = zstd.ZstdCompressor(options=_QUICKLY, zstd_dict=_COMMON)
    packed: bytes = packer.compress(data, mode=zstd.ZstdCompressor.FLUSH_FRAME)
    return packed
