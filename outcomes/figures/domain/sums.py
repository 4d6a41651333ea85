"""Sums of rollup changes: by minute, quarter, hour and day."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from outcomes.figures.domain.rollups import COARSE, QUARTER

CountKey = tuple[int, str]  # outcome code, and a denial's reason
Pair = tuple[int, int]  # tool and agent; 0: any
Part = tuple[int, int, int, int]  # step, start, tool and agent


@dataclass(slots=True)
class Sums:
    counts: defaultdict[CountKey, list[int]] = field(
        default_factory=lambda: defaultdict(lambda: [0, 0])  # calls, disagreements
    )
    took: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))  # by bucket

    def merge(self, other: "Sums") -> None:
        for key, (calls, disagreements) in other.counts.items():
            sums = self.counts[key]
            sums[0] += calls
            sums[1] += disagreements
        took = self.took
        for bucket, calls in other.took.items():
            took[bucket] += calls


Minutes = defaultdict[int, defaultdict[Pair, Sums]]


def no_minutes() -> Minutes:
    return defaultdict(lambda: defaultdict(Sums))


def coarse_sums(minutes: Minutes) -> dict[Part, Sums]:
    """Sums per quarter, hour and day: in total, by tool, by agent, and by both."""
    sums_by_part: dict[Part, Sums] = {}
    parts: list[tuple[int, dict[Pair, Sums]]] = list(minutes.items())
    for step in COARSE:
        grouped: defaultdict[int, list[dict[Pair, Sums]]] = defaultdict(list)
        for start, pairs in parts:
            grouped[start - start % step].append(pairs)
        parts = [(start, _merged(several)) for start, several in grouped.items()]
        if step == QUARTER:
            parts = [(start, _crossed(pairs)) for start, pairs in parts]
        for start, pairs in parts:
            for (tool, agent), sums in pairs.items():
                sums_by_part[step, start, tool, agent] = sums
    return sums_by_part


def _merged(several: list[dict[Pair, Sums]]) -> dict[Pair, Sums]:
    if len(several) == 1:  # changes that arrive together are mostly from one period
        return several[0]
    merged: defaultdict[Pair, Sums] = defaultdict(Sums)
    for pairs in several:
        _merge_into(merged, pairs.items())
    return merged


def _crossed(pairs: dict[Pair, Sums]) -> dict[Pair, Sums]:
    crossed: defaultdict[Pair, Sums] = defaultdict(Sums, pairs)
    for (tool, agent), sums in list(pairs.items()):
        _merge_into(crossed, [((tool, 0), sums), ((0, agent), sums), ((0, 0), sums)])
    return crossed


def _merge_into(target: defaultdict[Pair, Sums], more: Iterable[tuple[Pair, Sums]]) -> None:
    for pair, sums in more:
        target[pair].merge(sums)
