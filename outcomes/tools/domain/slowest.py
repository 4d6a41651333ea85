"""Which stretches of a time hold its slowest calls, as far as durations counted in buckets tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Buckets = Mapping[int, int]


class Stretch(NamedTuple):
    """Minutes since 1970: from the first on, and before the end."""

    first: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.first


@dataclass(frozen=True, slots=True)
class Worth:
    """Stretches to read, and the bucket from which a call is slow enough."""

    stretches: list[Stretch]  # by time
    least: int
    calls: int  # measured ones in these stretches
    is_all: bool = True  # else of calls that took about as long only the newest are among them


def stretches_to_read(counted: Mapping[Stretch, Buckets], most: int, room: int) -> Worth:
    """Stretches that hold the `most` slowest calls. Where reading all calls as slow as the last of
    them would exceed `room`, the newest stretches stand for the others."""
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
    """With those that follow one another made one."""
    merged: list[Stretch] = []
    for each in stretches:
        if merged and merged[-1].end == each.first:
            merged[-1] = Stretch(merged[-1].first, each.end)
        else:
            merged.append(each)
    return merged


def _least(counted: Mapping[Stretch, Buckets], most: int) -> int:
    """The bucket of the last of the slowest; of fewer calls, that of the fastest one."""
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
