"""Locate the slowest calls of a period by the duration buckets of its parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Buckets = Mapping[int, int]


class Stretch(NamedTuple):
    """A range of minutes since 1970, from `first` to before `end`."""

    first: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.first


@dataclass(frozen=True, slots=True)
class Worth:
    """Stretches to read, and the lowest bucket of a slow call."""

    stretches: list[Stretch]  # by time
    least: int
    calls: int  # measured ones in these stretches
    is_all: bool = True  # False: of calls in the lowest bucket, only the newest are included


def stretches_to_read(counted: Mapping[Stretch, Buckets], most: int, room: int) -> Worth:
    """Stretches that contain the `most` slowest calls. If reading all calls about as slow as the
    last of them would exceed `room`, only the newest such stretches are read."""
    least = _least(counted, most)
    surely = {each for each, buckets in counted.items() if _any_above(buckets, least)}
    others = sorted(
        (each for each, buckets in counted.items() if buckets.get(least) and each not in surely),
        reverse=True,
    )
    chosen, calls, slow, is_all = list[Stretch](), 0, 0, True
    for each in [*surely, *others]:
        more = sum(counted[each].values())
        if each not in surely and slow >= most and calls + more > room:
            is_all = False
            break
        chosen.append(each)
        calls += more
        slow += sum(many for bucket, many in counted[each].items() if bucket >= least)
    return Worth(sorted(chosen), least, calls, is_all)


def joined(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Stretches with adjacent ones merged."""
    merged: list[Stretch] = []
    for each in stretches:
        if merged and merged[-1].end == each.first:
            merged[-1] = Stretch(merged[-1].first, each.end)
        else:
            merged.append(each)
    return merged


def _least(counted: Mapping[Stretch, Buckets], most: int) -> int:
    """Bucket of the last of the slowest calls, or of the fastest call if there are fewer."""
    together: dict[int, int] = {}
    for buckets in counted.values():
        for bucket, calls in buckets.items():
            together[bucket] = together.get(bucket, 0) + calls
    least = 0
    for bucket in sorted((each for each, calls in together.items() if calls), reverse=True):
        least, most = bucket, most - together[bucket]
        if most <= 0:
            break
    return least


def _any_above(buckets: Buckets, least: int) -> bool:
    return any(calls and bucket > least for bucket, calls in buckets.items())
