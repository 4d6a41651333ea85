"""Standouts: statistically significant changes against the previous period."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from governance.core.wilson import wilson

FEWEST: Final = 10  # calls with a verdict; a fall in fewer is not reported


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
    """A tool whose success rate fell significantly: the upper bound now is below the lower bound
    before."""

    tool: str
    now: Judged
    before: Judged

    @property
    def points(self) -> float:
        return 100 * (self.before.rate - self.now.rate)

    @property
    def missing(self) -> float:
        """How many more calls would have succeeded at the previous rate."""
        return self.now.of * (self.before.rate - self.now.rate)


def falls(now: Mapping[str, Judged], before: Mapping[str, Judged]) -> list[Fall]:
    """Significant falls, the one with the most missing successes first."""
    fallen = [
        Fall(tool, rates, then)
        for tool, rates in now.items()
        if (then := before.get(tool)) is not None
        and rates.of >= FEWEST
        and then.of >= FEWEST
        and rates.bounds[1] < then.bounds[0]
    ]
    return sorted(fallen, key=lambda fall: (-fall.missing, fall.tool))
