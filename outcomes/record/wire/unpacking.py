"""A posted body unpacked, and found small enough to be read: before anything is made of it.

A list or an object takes some ninety bytes of memory and as few as three in a body: a post that is
within its 64 MiB could take gigabytes, were it read first and counted afterwards.
"""

import re
import zlib
from functools import cache
from typing import Any

import msgspec

from outcomes.record.wire.refusals import BodyRefused
from outcomes.record.wire.sender import Source

MAX_ITEMS = 10_000
MAX_BODY = 64 * 1024 * 1024  # after decompression
MAX_CONTAINERS = 2_000_000  # lists and objects in one body
MAX_MEMBERS = 10_000  # gzip files that follow each other in one body
PIECE = 64 * 1024
SMALL = 4 * 1024 * 1024  # however many items are in it, they do no harm

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
        while at < len(body) and room > 0:  # members may follow each other
            members += 1
            if members > MAX_MEMBERS:
                raise BodyRefused(413, "too_large", f"A gzip body has at most {MAX_MEMBERS} parts.")
            unpacker = zlib.decompressobj(wbits=31)
            while not unpacker.eof and room > 0:
                if at >= len(body):
                    raise BodyRefused(400, "not_gzip", "The gzip body is truncated.")
                # In pieces: what follows a member is copied, the whole rest each time otherwise.
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
    """Refuse what would take far more memory than its bytes."""
    if len(body) > SMALL and _has_too_many_items(body, source):
        refuse_too_many(MAX_ITEMS + 1)
    if _may_have_too_many_containers(body) and _containers(_TEXT.sub(b"", body)) > MAX_CONTAINERS:
        detail = f"A body may have at most {MAX_CONTAINERS:,} lists and objects. Send fewer items."
        raise BodyRefused(413, "too_many_values", detail)


def refuse_too_many(items: int) -> None:
    if items > MAX_ITEMS:
        raise BodyRefused(413, "too_many_items", f"A post may have at most {MAX_ITEMS:,} items.")


def _may_have_too_many_containers(body: bytes) -> bool:
    # Brackets in texts are counted along here: only an odd body is looked at closely.
    return len(body) > 3 * MAX_CONTAINERS and _containers(body) > MAX_CONTAINERS


def _containers(body: bytes) -> int:
    return body.count(b"[") + body.count(b"{")


def _has_too_many_items(body: bytes, source: Source) -> bool:
    try:
        items = getattr(_first_items(source).decode(body), source)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False  # whatever is wrong with it is told when it is read
    return bool(bytes(items.last))


@cache
def _first_items(source: Source) -> msgspec.json.Decoder[Any]:
    """Reads so many items and passes over the rest without keeping them: a list would keep all."""
    fields = [*(f"n{number}" for number in range(MAX_ITEMS)), "last"]
    none = msgspec.Raw(b"")
    items = msgspec.defstruct(
        "Items", [(name, msgspec.Raw, none) for name in fields], array_like=True
    )
    return msgspec.json.Decoder(msgspec.defstruct("Posted", [(source, items)]))
