"""Converts a regular expression to positions: which characters each reads, and what may follow it.

A position is a point in the expression that reads a character. Sets of positions are the bits of an
integer. What follows a position depends on the gap after it, because `^`, `$` and `\\b` test both
the last character and the next one, each of which is one of four kinds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from governance.checks.language.patterns.nodes import (
    Assertion,
    Character,
    Choice,
    Edge,
    Node,
    PatternRefused,
    Ranges,
    Reason,
    Repetition,
    Sequence,
)

ACCEPTED = 1  # the lowest bit of a set: the whole expression has matched
MOST_POSITIONS = 8_192
MOST_STEPS = 600_000  # half a second of work, the longest that a request should wait


class Kind(IntEnum):
    """Kind of character on one side of a gap."""

    EDGE = 0  # the text begins or ends here
    NEWLINE = 1
    WORD = 2
    OTHER = 3


def holds(edge: Edge, before: Kind, behind: Kind) -> bool:
    match edge:
        case Edge.TEXT_BEGINS:
            return before == Kind.EDGE
        case Edge.TEXT_ENDS:
            return behind == Kind.EDGE
        case Edge.LINE_BEGINS:
            return before in (Kind.EDGE, Kind.NEWLINE)
        case Edge.LINE_ENDS:
            return behind in (Kind.EDGE, Kind.NEWLINE)
        case Edge.WORD:
            return (before == Kind.WORD) != (behind == Kind.WORD)
        case Edge.NO_WORD:
            return (before == Kind.WORD) == (behind == Kind.WORD)


def bits(chosen: int) -> Iterator[int]:
    while chosen:
        lowest = chosen & -chosen
        yield lowest.bit_length() - 1
        chosen ^= lowest


class Work:
    """Work budget of one pattern, in steps rather than time, so the result is deterministic."""

    def __init__(self) -> None:
        self.spent = 0

    def spend(self, steps: int) -> None:
        self.spent += steps
        if self.spent > MOST_STEPS:
            raise too_large()


def too_large() -> PatternRefused:
    return PatternRefused(
        "This pattern is too large. Use smaller repetitions, or split it.",
        reason=Reason.TOO_LARGE,
    )


@dataclass(slots=True)
class _Fork:
    ways: list[int]


@dataclass(frozen=True, slots=True)
class _Guard:
    edge: Edge
    next: int


@dataclass(frozen=True, slots=True)
class _Read:
    position: int
    next: int


@dataclass(frozen=True, slots=True)
class _End:
    pass


_Point = _Fork | _Guard | _Read | _End


@dataclass(slots=True)
class Positions:
    work: Work
    edges: set[Edge] = field(default_factory=set)
    reads: dict[Ranges, int] = field(default_factory=dict)  # positions that read each character set
    # By position, a bit set of positions that it makes redundant: it continues in every way they
    # do.
    covers: dict[int, int] = field(default_factory=dict)
    start: int = 0
    _points: list[_Point] = field(default_factory=lambda: [_End()])
    _behind: list[int] = field(default_factory=lambda: [0])  # by position: the point after it
    _followed: dict[tuple[int, Kind, Kind], int] = field(default_factory=dict)

    def follow(self, position: int, before: Kind, behind: Kind) -> int:
        return self._open_at(self._behind[position], before, behind)

    def begin(self, before: Kind, behind: Kind) -> int:
        return self._open_at(self.start, before, behind)

    def _open_at(self, point: int, before: Kind, behind: Kind) -> int:
        """Positions that can read the next character at this gap, starting at this point."""
        key = (point, before, behind)
        if (known := self._followed.get(key)) is not None:
            return known
        reached = 0
        seen = {point}
        waiting = [point]
        ways: list[int]
        while waiting:
            match self._points[waiting.pop()]:
                case _End():
                    reached |= ACCEPTED
                    ways = []
                case _Read(position=position):
                    reached |= 1 << position
                    ways = []
                case _Guard(edge=edge, next=after):
                    ways = [after] if holds(edge, before, behind) else []
                case _Fork(ways=ways):
                    pass
            fresh = [way for way in ways if way not in seen]
            seen.update(fresh)
            waiting += fresh
        self.work.spend(len(seen))
        self._followed[key] = reached
        return reached

    def add(self, node: Node, after: int) -> int:
        """Add the node with `after` as its successor; returns the point where it begins."""
        match node:
            case Character(ranges=ranges):
                if (position := len(self._behind)) > MOST_POSITIONS:
                    raise too_large()
                self._behind.append(after)
                self.reads[ranges] = self.reads.get(ranges, 0) | 1 << position
                return self._point(_Read(position, after))
            case Assertion(edge=edge):
                self.edges.add(edge)
                return self._point(_Guard(edge, after))
            case Choice(parts=parts):
                return self._point(_Fork([self.add(part, after) for part in parts]))
            case Sequence(parts=parts):
                for part in reversed(parts):
                    after = self.add(part, after)
                return after
            case Repetition():
                return self._add_repetition(node, after)

    def _point(self, point: _Point) -> int:
        self.work.spend(1)
        self._points.append(point)
        return len(self._points) - 1

    def _add_repetition(self, node: Repetition, after: int) -> int:
        low, high = node.low, node.high
        if not node.characters:  # repeating a node that reads nothing has no effect
            low, high = min(low, 1), 1 if high is None else min(high, 1)
        first = len(self._behind)
        if high is None:
            fork = _Fork([])
            loop = self._point(fork)
            begin = self.add(node.item, loop)
            each = len(self._behind) - first
            fork.ways = [begin, after]
            after = begin if low else loop
            for _ in range(low - 1):
                after = self.add(node.item, after)
            # The loop has less left to match than any copy before it.
            self._cover(first, each, ascending=False)
            return after
        leave = after
        for _ in range(high - low):
            after = self._point(_Fork([self.add(node.item, after), leave]))
        # Of the optional copies, the first has the most possible continuations.
        if high > low:
            each = (len(self._behind) - first) // (high - low)
            self._cover(first, each, ascending=True)
        for _ in range(low):
            after = self.add(node.item, after)
        return after

    def _cover(self, first: int, each: int, *, ascending: bool) -> None:
        """Let one copy of a repeated item cover the others, position by position.

        Without this, `error.{0,50}late` would track every combination of places in the last fifty
        characters where `error` matched, although only the last one matters.
        """
        positions = range(first, len(self._behind) - each)
        for position in positions if ascending else reversed(positions):
            weak, strong = position, position + each
            if not ascending:
                weak, strong = strong, weak
            covered = self.covers.get(weak, 0) | 1 << weak
            self.covers[strong] = self.covers.get(strong, 0) | covered


def positions_of(node: Node) -> Positions:
    positions = Positions(Work())
    positions.start = positions.add(node, 0)
    return positions
