"""Subset construction: each state is a set of positions that may be read next."""

from dataclasses import dataclass, field

from governance.checks.language.patterns.alphabet import Alphabet
from governance.checks.language.patterns.nodes import PatternRefused, Reason
from governance.checks.language.patterns.positions import (
    ACCEPTED,
    Kind,
    Positions,
    Work,
    bits,
    too_large,
)

MOST_STATES = 4_096
MOST_CELLS = 262_144  # cells per table: limits the size of a compiled check too
DEAD = -1  # no continuation can match
MATCHED = -2  # every continuation matches


@dataclass(slots=True)
class States:
    """Table with a row per state and a column per character class."""

    rows: list[list[int]] = field(default_factory=list)
    ends: list[bool] = field(default_factory=list)  # whether a text that ends in the state matches


def too_many_states() -> PatternRefused:
    return PatternRefused(
        f"This pattern needs more than {MOST_STATES:,} states.", reason=Reason.TOO_MANY_STATES
    )


def states_of(positions: Positions, alphabet: Alphabet) -> States:
    return _Construction(positions, alphabet).all_states()


class _Construction:
    def __init__(self, positions: Positions, alphabet: Alphabet) -> None:
        self.positions = positions
        self.alphabet = alphabet
        self.work: Work = positions.work
        self.has_edges = bool(positions.edges)
        # Kinds of the next character, the end of the text last; equal sets if there are no
        # assertions.
        self.nexts = [*sorted(alphabet.kinds, reverse=True), Kind.EDGE]
        self.covering = sum(1 << position for position in positions.covers)
        self.numbers: dict[tuple[int, ...], int] = {}
        self.waiting: list[tuple[int, ...]] = []
        self.reached: dict[tuple[int, Kind], int] = {}

    def all_states(self) -> States:
        states = States()
        begin = Kind.EDGE if self.has_edges else Kind.OTHER
        self.number(self.open_sets(0, begin))
        while len(states.rows) < len(self.waiting):
            sets = self.waiting[len(states.rows)]
            by_kind = dict(zip(self.nexts, sets, strict=True))
            states.rows.append(self.row(by_kind))
            states.ends.append(bool(by_kind[Kind.EDGE] & ACCEPTED))
            if len(self.waiting) > MOST_STATES:
                raise too_many_states()
            if len(states.rows) * len(self.alphabet.classes) > MOST_CELLS:
                raise too_large()
        return states

    def row(self, by_kind: dict[Kind, int]) -> list[int]:
        cells = []
        for each in self.alphabet.classes:
            open_now = by_kind[each.kind]
            if open_now & ACCEPTED:
                cells.append(MATCHED)
                continue
            key = (open_now & each.readers, each.kind)
            if (target := self.reached.get(key)) is None:
                target = self.reached[key] = self.number(self.open_sets(*key))
            cells.append(target)
        return cells

    def open_sets(self, read: int, before: Kind) -> tuple[int, ...]:
        """Positions that may be read next, by kind of character. A match may also begin here."""
        if not self.has_edges:
            return (self.open_set(read, before, Kind.OTHER),) * len(self.nexts)
        return tuple(self.open_set(read, before, behind) for behind in self.nexts)

    def open_set(self, read: int, before: Kind, behind: Kind) -> int:
        reached = self.positions.begin(before, behind)
        self.work.spend(1)
        for position in bits(read):
            reached |= self.positions.follow(position, before, behind)
            self.work.spend(1)
        if reached & ACCEPTED:
            return ACCEPTED  # already matched, so nothing else matters
        for position in bits(reached & self.covering):
            if reached >> position & 1:
                reached &= ~self.positions.covers[position]
                self.work.spend(1)
        return reached

    def number(self, sets: tuple[int, ...]) -> int:
        # The start is always a state, even if it has already matched: a walk begins in a state.
        if self.waiting and all(each & ACCEPTED for each in sets):
            return MATCHED
        if sets not in self.numbers:
            self.numbers[sets] = len(self.waiting)
            self.waiting.append(sets)
        return self.numbers[sets]
