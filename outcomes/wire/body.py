"""A posted body, cut into its items so that a bad one is refused alone."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from outcomes.wire.refusals import EXCERPT, ItemRefused, Refusal, refused
from outcomes.wire.sender import Source

MAX_ITEMS = 10_000
MAX_BODY = 64 * 1024 * 1024  # after decompression


class BodyRefused(Exception):
    """The body as a whole cannot be taken; nothing of it was stored."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Body:
    """Items in the text they came in, by their index; and those that are no JSON at all."""

    items: Sequence[tuple[int, bytes]]
    refusals: list[Refusal]


class _Outcomes(msgspec.Struct):
    outcomes: list[msgspec.Raw]


class _Events(msgspec.Struct):
    events: list[msgspec.Raw]


_DECODERS: dict[Source, msgspec.json.Decoder[Any]] = {
    "outcomes": msgspec.json.Decoder(_Outcomes),
    "events": msgspec.json.Decoder(_Events),
}


def read_body(body: bytes, encoding: str, source: Source) -> Body:
    body = _unpacked(body, encoding)
    try:
        raws = getattr(_DECODERS[source].decode(body), source)
    except msgspec.ValidationError as error:
        raise BodyRefused(422, "wrong_shape", f"{error}. Expected {{{source!r}: [...]}}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # One item that is no JSON spoils the split of all: take them apart the slow way.
        return _read_slowly(body, source)
    _refuse_too_many(raws)
    return Body(list(enumerate(map(bytes, raws))), [])


def _unpacked(body: bytes, encoding: str) -> bytes:
    match encoding.strip().lower():
        case "" | "identity":
            unpacked = body
        case "gzip":
            unpacked = _gunzip(body)
        case other:
            raise BodyRefused(415, "unknown_encoding", f"Content-Encoding {other!r}: send gzip.")
    if len(unpacked) > MAX_BODY:
        raise BodyRefused(413, "too_large", "A body holds at most 64 MiB once it is unpacked.")
    return unpacked


def _gunzip(body: bytes) -> bytes:
    parts: list[bytes] = []
    room = MAX_BODY + 1
    rest = body
    try:
        while rest and room > 0:  # members may follow each other
            unpacker = zlib.decompressobj(wbits=31)
            part = unpacker.decompress(rest, room)
            room -= len(part)
            parts.append(part)
            if not unpacker.eof and room > 0:
                raise BodyRefused(400, "not_gzip", "The gzip body ends too early.")
            rest = unpacker.unused_data
    except zlib.error:
        raise BodyRefused(400, "not_gzip", "The body is not gzip, as its header says.") from None
    return b"".join(parts)


def _read_slowly(body: bytes, source: Source) -> Body:
    try:
        # Invalid UTF-8 becomes lone surrogates here, which only the item that has them cannot pass.
        text = body.decode("utf-8", "surrogateescape")
        posted = json.loads(text, strict=False, parse_int=_whole_number)
    except (ValueError, RecursionError):
        raise BodyRefused(400, "not_json", "The body is not JSON.") from None
    items = posted.get(source) if isinstance(posted, dict) else None
    if not isinstance(items, list):
        raise BodyRefused(422, "wrong_shape", f"Expected {{{source!r}: [...]}}.")
    _refuse_too_many(items)
    kept: list[tuple[int, bytes]] = []
    refusals = []
    for index, item in enumerate(items):
        try:
            kept.append((index, _as_json(item)))
        except (ValueError, RecursionError) as error:
            excerpt = repr(item)[:EXCERPT] if not isinstance(error, RecursionError) else ""
            why = _why_no_json(error)
            refusals.append(
                Refusal(index, why.code, why.detail, excerpt.encode("utf-8", "backslashreplace"))
            )
    return Body(kept, refusals)


def _whole_number(digits: str) -> float | int:
    # Python refuses to read longer ones; not a number, so that only this item falls.
    return int(digits) if len(digits) <= 4_300 else float("nan")


def _as_json(item: object) -> bytes:
    return json.dumps(item, ensure_ascii=False, allow_nan=False).encode()


def _why_no_json(error: Exception) -> ItemRefused:
    if isinstance(error, UnicodeEncodeError):
        return ItemRefused("lone_surrogate", "A text in the item is no valid Unicode.")
    if isinstance(error, RecursionError):
        return refused(error)
    return ItemRefused("not_a_number", "NaN, Infinity and numbers beyond range are not JSON.")


def _refuse_too_many(items: Sequence[object]) -> None:
    if len(items) > MAX_ITEMS:
        raise BodyRefused(413, "too_many_items", f"A post holds at most {MAX_ITEMS:,} items.")
