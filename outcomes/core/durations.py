"""Call durations counted in logarithmic buckets 2 % wide, from which percentiles are computed.

A percentile is the middle of the bucket at the nearest rank, so it is at most 1 % off. Calls
without a measured duration are not counted.
"""

import struct
from collections import Counter
from collections.abc import Mapping
from math import ceil, exp, log
from typing import Final

_WIDTH: Final = log(1.02)
_PER_WIDTH: Final = 1 / _WIDTH
_LEAST: Final = 0.001  # ms; shorter durations above 0 count as this
_MOST: Final = 1e12  # ms, 31 years; longer durations count as this
_ZERO: Final = 0  # the bucket of a measured 0
_SHIFT: Final = 1 - int(log(_LEAST) * _PER_WIDTH - 1)  # under 1 ms, bucket numbers stay above 0


def bucket_of(elapsed_ms: float) -> int:
    if _LEAST <= elapsed_ms <= _MOST:
        return int(log(elapsed_ms) * _PER_WIDTH + _SHIFT)
    if elapsed_ms <= 0:
        return _ZERO
    return bucket_of(_LEAST if elapsed_ms < _LEAST else _MOST)


def middle_of(bucket: int) -> float:
    """Middle of a bucket in milliseconds."""
    return 0.0 if bucket == _ZERO else exp((bucket - _SHIFT + 0.5) * _WIDTH)


def least_of(bucket: int) -> float:
    """Lower bound of a bucket in milliseconds. Calls of the bucket below may reach it."""
    return 0.0 if bucket <= bucket_of(_LEAST) else middle_of(bucket - 1)


def percentile(buckets: Mapping[int, int], percent: int) -> float | None:
    """Percentile in milliseconds (nearest rank), or None if nothing was counted."""
    rank = ceil(sum(buckets.values()) * percent / 100)
    for bucket in sorted(buckets):
        rank -= buckets[bucket]
        if rank <= 0 < buckets[bucket]:
            return middle_of(bucket)
    return None


# Packed buckets are either (bucket, count) pairs or, if close together, a contiguous row of 32-bit
# lanes. Two rows are merged by adding them as big integers.
_LANE: Final = 32
_FULL: Final = 2**_LANE
_ONE_BY_ONE, _LARGE, _LANES = b"s", b"l", b"d"
_HEAD: Final = struct.Struct("<cHI")  # packing, first bucket, total count
_CLOSE: Final = 4  # maximum lanes per non-empty bucket


def pack(buckets: Mapping[int, int]) -> bytes:
    counted = sorted((bucket, calls) for bucket, calls in buckets.items() if calls)
    if not counted:
        return b""
    names, counts = zip(*counted, strict=True)
    calls, first, number = sum(counts), names[0], len(names)
    if calls >= _FULL or min(counts) < 0:
        return struct.pack(f"<c{number}H{number}q", _LARGE, *names, *counts)
    width = names[-1] - first + 1
    if width > _CLOSE * number:
        return struct.pack(f"<c{number}H{number}I", _ONE_BY_ONE, *names, *counts)
    lanes = [0] * width
    for bucket, calls_in in counted:
        lanes[bucket - first] = calls_in
    return _HEAD.pack(_LANES, first, calls) + struct.pack(f"<{width}I", *lanes)


def top_of(packed: bytes) -> int:
    """Highest non-empty bucket, read without unpacking the counts."""
    if packed[:1] == _LANES:
        _, first, _ = _HEAD.unpack_from(packed)
        return int(first) + (len(packed) - _HEAD.size) // (_LANE // 8) - 1
    number = (len(packed) - 1) // (10 if packed[:1] == _LARGE else 6)
    return int(struct.unpack_from("<H", packed, 1 + 2 * (number - 1))[0])


class Pile:
    """Sum of packed counts. Adding hundreds of them takes a few milliseconds."""

    __slots__ = ("_buckets", "_first", "_lanes", "_room")

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self._lanes, self._first = 0, 0  # the bucket of the lowest lane
        self._room = _FULL - 1  # calls left before a lane could overflow

    def add(self, packed: bytes) -> None:
        how = packed[:1]
        if how == _LANES:
            _, first, calls = _HEAD.unpack_from(packed)
            if calls > self._room:
                self._empty_lanes()
            self._add_lanes(first, int.from_bytes(packed[_HEAD.size :], "little"))
            self._room -= calls
            return
        if not how:
            return
        size, letter = (10, "q") if how == _LARGE else (6, "I")
        number = (len(packed) - 1) // size
        values = struct.unpack_from(f"<{number}H{number}{letter}", packed, 1)
        for bucket, calls in zip(values[:number], values[number:], strict=True):
            self._buckets[bucket] += calls

    def count(self, bucket: int, calls: int) -> None:
        self._buckets[bucket] += calls

    def buckets(self) -> Counter[int]:
        self._empty_lanes()
        return self._buckets

    def _add_lanes(self, first: int, lanes: int) -> None:
        """Add lanes, starting at the lowest bucket in use: hundreds below it are empty."""
        if not self._lanes:
            self._lanes, self._first = lanes, first
        elif first >= self._first:
            self._lanes += lanes << (_LANE * (first - self._first))
        else:
            self._lanes = lanes + (self._lanes << (_LANE * (self._first - first)))
            self._first = first

    def _empty_lanes(self) -> None:
        if not self._lanes:
            return
        size = -(-self._lanes.bit_length() // _LANE)
        lanes = struct.unpack(f"<{size}I", self._lanes.to_bytes(size * _LANE // 8, "little"))
        for bucket, calls in enumerate(lanes, self._first):
            if calls:
                self._buckets[bucket] += calls
        self._lanes, self._room = 0, _FULL - 1
