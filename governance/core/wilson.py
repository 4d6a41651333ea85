"""Confidence of a rate: the Wilson interval of a proportion."""

from math import sqrt
from typing import Final

Z_95: Final = 1.959964


def wilson(successes: int, of: int, z: float = Z_95) -> tuple[float, float]:
    """Lower and upper bound of a rate observed in `of` > 0 cases."""
    rate = successes / of
    weight = z * z / of
    middle = rate + weight / 2
    spread = z * sqrt((rate * (1 - rate) + weight / 4) / of)
    # Rounding must not push a bound outside 0 to 1, or past the rate itself.
    lower = max(0.0, min(rate, (middle - spread) / (1 + weight)))
    upper = min(1.0, max(rate, (middle + spread) / (1 + weight)))
    return lower, upper
