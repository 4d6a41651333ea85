"""Queue of items to send, bounded by count and bytes; the oldest items are dropped first."""

from __future__ import annotations

from collections import deque
from typing import Literal, NamedTuple, get_args

Family = Literal["events", "outcomes", "artifacts"]
LARGEST_POST = 8_000_000  # bytes, before compression
MOST_PER_POST = 2_000


class Parcel(NamedTuple):
    number: int
    family: Family
    body: bytes
    media_type: str = "application/json"


class Outbox:
    """Queue without its own lock; the sender holds one around every use."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        # One queue per family, so that a post can be large even if families alternate.
        self._lines: dict[Family, deque[Parcel]] = {family: deque() for family in get_args(Family)}
        self._bytes = 0
        self.last_number = 0
        self.lost = 0

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def put(self, family: Family, body: bytes, media_type: str = "application/json") -> None:
        self.last_number += 1
        self._lines[family].append(Parcel(self.last_number, family, body, media_type))
        self._bytes += len(body)
        self._lose_what_is_too_much()

    def take(self, most: int) -> list[Parcel]:
        """Batch of the oldest item and the items of its family that fit into the same post.

        An artifact is sent alone, and before the outcomes that refer to it.
        """
        line = self._lines["artifacts"] or self._oldest_line()
        parcels: list[Parcel] = []
        size = 0
        if line and line[0].family == "artifacts":
            most = 1
        while line and len(parcels) < most:
            size += len(line[0].body)
            if parcels and size > LARGEST_POST:
                break
            parcels.append(line.popleft())
        self._bytes -= sum(len(parcel.body) for parcel in parcels)
        return parcels

    def take_all(self) -> list[Parcel]:
        parcels = [parcel for line in self._lines.values() for parcel in line]
        for line in self._lines.values():
            line.clear()
        self._bytes = 0
        return parcels

    def put_back(self, parcels: list[Parcel]) -> None:
        if parcels:
            self._lines[parcels[0].family].extendleft(reversed(parcels))
            self._bytes += sum(len(parcel.body) for parcel in parcels)
            self._lose_what_is_too_much()

    def oldest_number(self) -> int | None:
        line = self._oldest_line()
        return line[0].number if line else None

    def _oldest_line(self) -> deque[Parcel] | None:
        lines = [line for line in self._lines.values() if line]
        return min(lines, key=lambda line: line[0].number, default=None)

    def _lose_what_is_too_much(self) -> None:
        while len(self) > self._most or (self._bytes > self._most_bytes and len(self) > 1):
            line = self._oldest_line()
            if not line:
                return
            self._bytes -= len(line.popleft().body)
            self.lost += 1
