"""Groups characters that a pattern never distinguishes into classes."""

from dataclasses import dataclass

from governance.checks.language.patterns.characters import NEWLINE, WORD
from governance.checks.language.patterns.nodes import HIGHEST, Edge
from governance.checks.language.patterns.positions import Kind, Positions, bits

_WORD_EDGES = {Edge.WORD, Edge.NO_WORD}
_LINE_EDGES = {Edge.LINE_BEGINS, Edge.LINE_ENDS}


@dataclass(frozen=True, slots=True)
class Class:
    kind: Kind
    readers: int  # bit set of the positions that read its characters


@dataclass(frozen=True, slots=True)
class Alphabet:
    bounds: list[int]
    numbers: list[int]  # class of the characters from each bound on
    classes: list[Class]

    @property
    def kinds(self) -> set[Kind]:
        return {each.kind for each in self.classes}


def alphabet_of(positions: Positions) -> Alphabet:
    sets = [*positions.reads, ((NEWLINE, NEWLINE),), WORD]
    newline, word = 1 << len(positions.reads), 2 << len(positions.reads)
    turns: dict[int, int] = {0: 0}  # by code point: bits of the sets that begin or end there
    for number, ranges in enumerate(sets):
        for low, high in ranges:
            turns[low] = turns.get(low, 0) ^ 1 << number
            turns[high + 1] = turns.get(high + 1, 0) ^ 1 << number
    needs_words = bool(positions.edges & _WORD_EDGES)
    needs_lines = bool(positions.edges & _LINE_EDGES)
    readers = [*positions.reads.values(), 0, 0]
    inside = 0
    numbers: dict[Class, int] = {}
    known: dict[int, int] = {}
    alphabet = Alphabet([], [], [])
    for bound in sorted(turns):
        inside ^= turns[bound]
        if bound > HIGHEST:
            break
        if inside not in known:
            kind = Kind.OTHER
            if needs_lines and inside & newline:
                kind = Kind.NEWLINE
            elif needs_words and inside & word:
                kind = Kind.WORD
            reading = 0
            for number in bits(inside):
                reading |= readers[number]
                positions.work.spend(1)
            known[inside] = numbers.setdefault(Class(kind, reading), len(numbers))
        if not alphabet.numbers or alphabet.numbers[-1] != known[inside]:
            alphabet.bounds.append(bound)
            alphabet.numbers.append(known[inside])
    alphabet.classes.extend(numbers)
    return alphabet
