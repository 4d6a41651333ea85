"""Fenwick tree: prefix sums and n-th elements of small numbers, updated in logarithmic time."""

from array import array


class CountTree:
    """A binary indexed tree of non-negative numbers that grows at its end."""

    __slots__ = ("_sums", "total")

    def __init__(self) -> None:
        self._sums = array("i", [0])  # the n-th holds the last `n & -n` numbers up to the n-th
        self.total = 0

    def append(self, value: int) -> None:
        place = len(self._sums)
        held, reach = value, 1
        while reach < place & -place:
            held += self._sums[place - reach]
            reach *= 2
        self._sums.append(held)
        self.total += value

    def cut(self, length: int) -> None:
        """Drop all but the first `length` numbers; no remaining sum covers a dropped one."""
        del self._sums[length + 1 :]
        self.total = self.up_to(length)

    def up_to(self, place: int) -> int:
        total = 0
        while place:
            total += self._sums[place]
            place &= place - 1
        return total

    def put(self, place: int, value: int) -> None:
        more = value - (self.up_to(place) - self.up_to(place - 1))
        if not more:
            return
        self.total += more
        while place < len(self._sums):
            self._sums[place] += more
            place += place & -place

    def place_of(self, number: int) -> int | None:
        """Position at which the prefix sum first reaches this number; None if it never does."""
        if not 0 < number <= self.total:
            return None
        place = 0
        step = 1 << len(self._sums).bit_length()
        while step:
            beyond = place + step
            if beyond < len(self._sums) and self._sums[beyond] < number:
                place = beyond
                number -= self._sums[beyond]
            step //= 2
        return place + 1
