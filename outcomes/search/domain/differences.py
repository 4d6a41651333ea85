"""Values whose share differs most between a group of calls and others, largest difference first."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from governance.core.wilson import wilson

FEWEST: Final = 5  # calls on each side; with fewer there is no comparison
LEAST: Final = 0.05  # smaller differences are only counted
MOST_ROWS: Final = 12
EXISTS: Final = "exists"

Feature = tuple[str, str]  # field and value


@dataclass(frozen=True, slots=True)
class Difference:
    field: str
    value: str
    here: int
    of_here: int
    elsewhere: int
    of_elsewhere: int

    @property
    def share_here(self) -> float:
        return self.here / self.of_here

    @property
    def share_elsewhere(self) -> float:
        return self.elsewhere / self.of_elsewhere

    @property
    def change(self) -> float:
        return self.share_here - self.share_elsewhere

    @property
    def interval(self) -> tuple[float, float]:
        """Newcombe's 95 % interval of the difference, from two Wilson intervals."""
        low_here, high_here = wilson(self.here, self.of_here)
        low_there, high_there = wilson(self.elsewhere, self.of_elsewhere)
        here, there = self.share_here, self.share_elsewhere
        below = sqrt((here - low_here) ** 2 + (high_there - there) ** 2)
        above = sqrt((high_here - here) ** 2 + (there - low_there) ** 2)
        return max(-1.0, self.change - below), min(1.0, self.change + above)

    @property
    def is_doubtful(self) -> bool:
        low, high = self.interval
        return low <= 0 <= high


@dataclass(frozen=True, slots=True)
class Differences:
    rows: list[Difference]
    smaller: int  # fields with smaller differences
    here: int
    elsewhere: int

    @property
    def is_enough(self) -> bool:
        return min(self.here, self.elsewhere) >= FEWEST


def differences(
    here: Sequence[frozenset[Feature]],
    elsewhere: Sequence[frozenset[Feature]],
    left_out: frozenset[str],
) -> Differences:
    """Differences with one row per field, for the value whose share differs most."""
    if min(len(here), len(elsewhere)) < FEWEST:
        return Differences([], 0, len(here), len(elsewhere))
    ours, others = _counted(here), _counted(elsewhere)
    best: dict[str, Difference] = {}
    for field, value in sorted(ours.keys() | others.keys()):
        if field in left_out:
            continue
        row = Difference(
            field, value, ours[field, value], len(here), others[field, value], len(elsewhere)
        )
        if field not in best or _order(row) < _order(best[field]):
            best[field] = row
    rows = sorted(best.values(), key=_order)
    large = [row for row in rows if abs(row.change) >= LEAST][:MOST_ROWS]
    return Differences(large, len(rows) - len(large), len(here), len(elsewhere))


def _counted(calls: Iterable[frozenset[Feature]]) -> Counter[Feature]:
    return Counter(feature for call in calls for feature in call)


def _order(row: Difference) -> tuple[float, bool, str, str]:
    """Sort key. A value more frequent in the group explains more than one that is rarer in it."""
    return -round(abs(row.change), 6), row.change < 0, row.field, row.value
