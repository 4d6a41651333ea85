"""How long calls took, counted in logarithmic buckets 2 % wide: any percentile of any of them.

A percentile is the nearest rank, told by the middle of its bucket: at most 1 % from what was
measured. What was not measured is counted nowhere.
"""

from collections import Counter
from math import ceil, exp, log
from typing import Final

_WIDTH: Final = log(1.02)
_PER_WIDTH: Final = 1 / _WIDTH
_LEAST: Final = 0.001  # ms; what took less, yet more than nothing, counts as this
_MOST: Final = 1e12  # ms, 31 years; so does what took more
_ZERO: Final = 0  # the bucket of a measured 0
_SHIFT: Final = 1 - int(log(_LEAST) * _PER_WIDTH - 1)  # buckets of less than 1 ms have a number too


def bucket_of(elapsed_ms: float) -> int:
    if elapsed_ms <= 0:
        return _ZERO
    return int(log(min(max(elapsed_ms, _LEAST), _MOST)) * _PER_WIDTH + _SHIFT)


def middle_of(bucket: int) -> float:
    """In milliseconds."""
    return 0.0 if bucket == _ZERO else exp((bucket - _SHIFT + 0.5) * _WIDTH)


def percentile(buckets: Counter[int], percent: int) -> float | None:
    """The least duration, in milliseconds, that so many per cent took at most; None of none."""
    rank = ceil(buckets.total() * percent / 100)
    for bucket in sorted(buckets):
        rank -= buckets[bucket]
        if rank <= 0 < buckets[bucket]:
            return middle_of(bucket)
    return None
