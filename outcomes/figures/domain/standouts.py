"""Standouts: changes against the previous period that are surely no chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from governance.core.wilson import wilson

FEWEST: Final = 10  # judged calls; fewer make no news


@dataclass(frozen=True, slots=True)
class Judged:
    successes: int
    of: int

    @property
    def rate(self) -> float:
        return self.successes / self.of

    @property
    def bounds(self) -> tuple[float, float]:
        return wilson(self.successes, self.of)


@dataclass(frozen=True, slots=True)
class Fall:
    """A tool whose success surely fell: even the best that it may be is worse than the worst that
    it may have been."""

    tool: str
    now: Judged
    before: Judged

    @property
    def points(self) -> float:
        return 100 * (self.before.rate - self.now.rate)

    @property
    def missing(self) -> float:
        """How many calls succeed less than they would have at the rate before."""
        return self.now.of * (self.before.rate - self.now.rate)


def falls(now: Mapping[str, Judged], before: Mapping[str, Judged]) -> list[Fall]:
    """Most costly fall first, by calls."""
    fallen = [
        Fall(tool, rates, then)
        for tool, rates in now.items()
        if (then := before.get(tool)) is not None
        and rates.of >= FEWEST
        and then.of >= FEWEST
        and rates.bounds[1] < then.bounds[0]
    ]
    return sorted(fallen, key=lambda fall: (-fall.missing, fall.tool))
