"""Longest increasing subsequence."""

from bisect import bisect_left
from collections.abc import Sequence


def longest_ascending(numbers: Sequence[int]) -> list[int]:
    """Indexes of its members, in order. The numbers must be distinct."""
    ends: list[int] = []  # lowest last number of the subsequences of each length
    end_at: list[int] = []
    came_from: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        came_from.append(end_at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            end_at.append(index)
        else:
            ends[length], end_at[length] = number, index
    indexes = []
    at = end_at[-1] if end_at else -1
    while at >= 0:
        indexes.append(at)
        at = came_from[at]
    return indexes[::-1]
