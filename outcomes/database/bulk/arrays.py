"""Columns of values packed as PostgreSQL's binary arrays.

The driver inspects and packs values one by one. A table column has one type, and often a single
value, so packing a column in a few calls takes a sixth of the time.
"""

import struct
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from typing import Any, Final

_HEAD: Final = struct.Struct("!iiIii")  # dimensions, has nulls, type, length, lower bound
_LENGTH: Final = struct.Struct("!i").pack
_NULL: Final = _LENGTH(-1)
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)

_AT_ONCE: Final = 250

Values = Sequence[Any]


def packed(kind: str, values: Values) -> bytes:
    """Pack a column. `kind` is its type as PostgreSQL names it."""
    number, pack = _TYPES[kind]
    has_null = None in values
    head = _HEAD.pack(1, has_null, number, len(values), 1)
    if _is_one(values):
        return head + (_NULL if has_null else pack(values[:1])) * len(values)
    if has_null:
        return head + b"".join(_with_nulls(pack, values))
    return head + pack(values)


def _with_nulls(pack: Callable[[Values], bytes], values: Values) -> list[bytes]:
    packed: dict[Any, bytes] = {None: _NULL}  # in columns with nulls, other values often repeat
    for each in values:
        if each not in packed:
            packed[each] = pack((each,))
    return [packed[each] for each in values]


def _is_one(values: Values) -> bool:
    # Compare the ends first: most columns with different values differ there, so nothing is
    # counted.
    first = values[0]
    return bool(first == values[-1]) and values.count(first) == len(values)


def _fixed(code: str) -> Callable[[Values], bytes]:
    size = struct.calcsize(f"!{code}")
    # Each number is preceded by its length. Only one chunk size, because struct caches every
    # format.
    one, many = struct.Struct(f"!i{code}"), struct.Struct("!" + f"i{code}" * _AT_ONCE)

    def pack(values: Values) -> bytes:
        if len(values) == 1:
            return one.pack(size, values[0])
        numbers = list(chain.from_iterable(zip(repeat(size), values)))
        in_chunks = len(values) // _AT_ONCE * 2 * _AT_ONCE
        parts = [
            many.pack(*numbers[at : at + 2 * _AT_ONCE]) for at in range(0, in_chunks, 2 * _AT_ONCE)
        ]
        parts += [one.pack(*numbers[at : at + 2]) for at in range(in_chunks, len(numbers), 2)]
        return b"".join(parts)

    return pack


def _bytes(values: Values) -> bytes:
    lengths = map(_LENGTH, map(len, values))
    return b"".join(chain.from_iterable(zip(lengths, values, strict=True)))


def _texts(values: Values) -> bytes:
    return _bytes([each.encode() for each in values])


def _words(values: Values) -> bytes:
    """Pack a column of short texts, most of which repeat."""
    packed = {each: _texts((each,)) for each in set(values)}
    return b"".join([packed[each] for each in values])


_integers: Final = _fixed("q")


def _times(values: Values) -> bytes:
    since = [each - _EPOCH for each in values]
    return _integers(
        [(each.days * 86_400 + each.seconds) * 1_000_000 + each.microseconds for each in since]
    )


_TYPES: Final[dict[str, tuple[int, Callable[[Values], bytes]]]] = {
    "bigint": (20, _integers),
    "integer": (23, _fixed("i")),
    "smallint": (21, _fixed("h")),
    "boolean": (16, _fixed("?")),
    "double precision": (701, _fixed("d")),
    "text": (25, _texts),
    "varchar": (1043, _words),
    "bytea": (17, _bytes),
    "timestamp with time zone": (1184, _times),
}
