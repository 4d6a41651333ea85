"""A posted body and its items, each checked separately so that only invalid ones are rejected."""

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from outcomes.record.event import Event
from outcomes.record.wire import posted, sdk
from outcomes.record.wire.deep import without_the_deep
from outcomes.record.wire.posted import Sender, Source
from outcomes.record.wire.refusals import (
    EXCERPT,
    LONGEST_FIELD,
    BodyRefused,
    ItemRefused,
    Refusal,
    Warned,
    refused,
)

MAX_ITEMS = 10_000
MAX_BODY = 64 * 1024 * 1024  # after decompression
MAX_CONTAINERS = 2_000_000  # lists and objects in one body
MAX_MEMBERS = 10_000  # concatenated gzip members in one body
PIECE = 64 * 1024
SMALL = 4 * 1024 * 1024  # smaller bodies are safe with any number of items

_TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def unpacked(body: bytes, encoding: str) -> bytes:
    match encoding.strip().lower():
        case "" | "identity":
            unpacked_body = body
        case "gzip":
            unpacked_body = _gunzip(body)
        case other:
            raise BodyRefused(415, "unknown_encoding", f"Content-Encoding {other!r}: send gzip.")
    if len(unpacked_body) > MAX_BODY:
        raise BodyRefused(413, "too_large", "A body may have at most 64 MiB after decompression.")
    return unpacked_body


def _gunzip(body: bytes) -> bytes:
    parts: list[bytes] = []
    view, at, room, members = memoryview(body), 0, MAX_BODY + 1, 0
    try:
        while at < len(body) and room > 0:  # gzip members may be concatenated
            members += 1
            if members > MAX_MEMBERS:
                raise BodyRefused(413, "too_large", f"A gzip body has at most {MAX_MEMBERS} parts.")
            unpacker = zlib.decompressobj(wbits=31)
            while not unpacker.eof and room > 0:
                if at >= len(body):
                    raise BodyRefused(400, "not_gzip", "The gzip body is truncated.")
                # In pieces, because zlib copies the data after a member, which would be the entire
                # rest.
                piece = view[at : at + PIECE]
                part = unpacker.decompress(piece, room)
                at += len(piece) - len(unpacker.unused_data) - len(unpacker.unconsumed_tail)
                room -= len(part)
                parts.append(part)
    except zlib.error:
        raise BodyRefused(
            400, "not_gzip", "The body is not gzip, although Content-Encoding says so."
        ) from None
    return b"".join(parts)


def refuse_too_much(body: bytes, source: Source) -> None:
    """Reject a body that would take far more memory than its size."""
    if len(body) > SMALL and _has_too_many_items(body, source):
        refuse_too_many(MAX_ITEMS + 1)
    if _may_have_too_many_containers(body) and _containers(_TEXT.sub(b"", body)) > MAX_CONTAINERS:
        detail = f"A body may have at most {MAX_CONTAINERS:,} lists and objects. Send fewer items."
        raise BodyRefused(413, "too_many_values", detail)


def refuse_too_many(items: int) -> None:
    if items > MAX_ITEMS:
        raise BodyRefused(413, "too_many_items", f"A post may have at most {MAX_ITEMS:,} items.")


def _may_have_too_many_containers(body: bytes) -> bool:
    # Brackets inside strings count too, so only a suspicious body is examined closely.
    return len(body) > 3 * MAX_CONTAINERS and _containers(body) > MAX_CONTAINERS


def _containers(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")


def _has_too_many_items(body: bytes, source: Source) -> bool:
    try:
        items = getattr(_first_items(source).decode(body), source)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False  # reading the body reports what is wrong with it
    return bool(bytes(items.last))


@cache
def _first_items(source: Source) -> msgspec.json.Decoder[Any]:
    """Decoder for the first MAX_ITEMS items. It skips the others without storing them."""
    fields = [*(f"n{number}" for number in range(MAX_ITEMS)), "last"]
    none = msgspec.Raw(b"")
    items = msgspec.defstruct(
        "Items", [(name, msgspec.Raw, none) for name in fields], array_like=True
    )
    return msgspec.json.Decoder(msgspec.defstruct("Posted", [(source, items)]))


@dataclass(frozen=True, slots=True)
class Body:
    """Unparsed items by index, and rejections of those that are not JSON."""

    items: Sequence[tuple[int, bytes]]
    refusals: list[Refusal]
    manifest: bytes = b""  # rules that a gate says it has, sent with its events


class _Outcomes(msgspec.Struct):
    outcomes: list[msgspec.Raw]


class _Events(msgspec.Struct):
    events: list[msgspec.Raw]
    agent_manifest: msgspec.Raw = msgspec.Raw(b"")


_DECODERS: dict[Source, msgspec.json.Decoder[Any]] = {
    "outcomes": msgspec.json.Decoder(_Outcomes),
    "events": msgspec.json.Decoder(_Events),
}


def read_body(body: bytes, encoding: str, source: Source) -> Body:
    body = unpacked(body, encoding)
    refuse_too_much(body, source)
    try:
        decoded = _DECODERS[source].decode(body)
        raws = getattr(decoded, source)
    except msgspec.ValidationError as error:
        raise BodyRefused(422, "wrong_shape", f"{error}. Expected {{{source!r}: [...]}}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # One item with invalid JSON breaks the split of all, so the slow path parses them one by
        # one.
        return _read_slowly(body, source)
    refuse_too_many(len(raws))
    manifest = bytes(decoded.agent_manifest) if source == "events" else b""
    return Body(list(enumerate(map(bytes, raws))), [], manifest)


def _read_slowly(body: bytes, source: Source) -> Body:
    deep: frozenset[int] = frozenset()
    try:
        try:
            loaded = _loaded(body)
        except RecursionError:
            body, deep = without_the_deep(body)
            loaded = _loaded(body)
    except ValueError:
        raise BodyRefused(400, "not_json", "The body is not valid JSON.") from None
    except RecursionError:
        raise BodyRefused(400, "too_deep", "The body is nested too deeply.") from None
    items = loaded.get(source) if isinstance(loaded, dict) else None
    if not isinstance(items, list):
        raise BodyRefused(422, "wrong_shape", f"Expected {{{source!r}: [...]}}.")
    refuse_too_many(len(items))
    items_read: list[tuple[int, bytes]] = []
    refusals = []
    for index, item in enumerate(items):
        try:
            if item == 0 and index in deep:
                raise RecursionError
            items_read.append((index, _as_json(item)))
        except (ValueError, RecursionError) as error:
            why = _why_no_json(error)
            excerpt = "" if isinstance(error, RecursionError) else json.dumps(item)[:EXCERPT]
            refusals.append(Refusal(index, why.code, why.detail, excerpt.encode()))
    return Body(items_read, refusals)


def _loaded(body: bytes) -> object:
    # Invalid UTF-8 becomes lone surrogates here, so that only the items that contain it fail.
    text = body.decode("utf-8", "surrogateescape")
    return json.loads(text, strict=False, parse_int=_integer)


def _integer(digits: str) -> float | int:
    # Python does not parse longer integers. NaN makes only this item fail.
    return int(digits) if len(digits) <= 4_300 else float("nan")


def _as_json(item: object) -> bytes:
    return json.dumps(item, ensure_ascii=False, allow_nan=False).encode()


def _why_no_json(error: Exception) -> ItemRefused:
    if isinstance(error, UnicodeEncodeError):
        return ItemRefused("lone_surrogate", "A string in the item is not valid Unicode.")
    if isinstance(error, RecursionError):
        return refused(error)
    return ItemRefused("not_a_number", "NaN, Infinity and numbers out of range are not JSON.")


_CHECKS = {"outcomes": posted.check, "events": sdk.check}
_READS = {"outcomes": posted.read, "events": sdk.read}


def check_item(
    index: int, raw: bytes, source: Source, sender: Sender
) -> Refusal | Sequence[Warned]:
    """Warnings about a valid item, or its rejection. A valid item is never rejected later."""
    try:
        unknown = _CHECKS[source](raw, sender)
    except (ItemRefused, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = refused(error)
        return Refusal(index, why.code, why.detail, raw[:EXCERPT])
    return [Warned(index, name[:LONGEST_FIELD]) for name in unknown] if unknown else ()


def read_item(raw: bytes, source: Source, sender: Sender, order: int) -> Event:
    return _READS[source](raw, sender, order)
