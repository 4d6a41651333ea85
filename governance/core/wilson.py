"""How sure a rate is: the Wilson interval of a proportion."""

from math import sqrt
from typing import Final

Z_95: Final = 1.959964


def wilson(successes: int, of: int, z: float = Z_95) -> tuple[float, float]:
    """The lower and the upper bound of a rate that was seen in `of` > 0 cases."""
    rate = successes / of
    weight = z * z / of
    middle = rate + weight / 2
    spread = z * sqrt((rate * (1 - rate) + weight / 4) / of)
    # Rounding must not push a bound past what a rate can be, nor past the rate itself.
    lower = max(0.0, min(rate, (middle - spread) / (1 + weight)))
    upper = min(1.0, max(rate, (middle + spread) / (1 + weight)))
    return lower, upper
