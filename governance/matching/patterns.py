"""Compiles a pattern's state table to a function that takes one step per character."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from operator import length_hint
from typing import Any

from governance.matching.call import TEXT, Call

# Whether a text matches; the flag tells if it is complete. None: undecided.
Matches = Callable[[str, bool, Call], bool | None]
PIECE = 65_536  # characters per chunk: saves memory, and the work is the same
# Fast path limits: classes fit into a byte, and the pattern distinguishes no code points above.
NARROW, NEAR = 255, 0x20000
SLOW = 8  # work per character outside the fast path
SHORT = 4_096  # characters below which no translation table is built
FAR = ord("?")  # replacement for characters outside the table


class _Classes(dict[str, int]):
    """Character classes, computed once per character."""

    def __init__(self, bounds: list[int], classes: list[int]) -> None:
        self.bounds, self.classes = bounds, classes
        self.tables: tuple[str, bytes] | None = None

    def __missing__(self, character: str) -> int:
        number: int = self.classes[bisect_right(self.bounds, ord(character)) - 1]
        if len(self) < SHORT:
            self[character] = number
        return number

    def classes_of(self, piece: str) -> bytes:
        """Classes of many characters at once, by translation tables."""
        if self.tables is None:
            ends = [*self.bounds[1:], NEAR]
            near = "".join(
                chr(number + (number >= FAR)) * (end - bound)
                for bound, end, number in zip(self.bounds, ends, self.classes, strict=True)
            )
            back = bytes([*range(FAR), self.classes[-1], *range(FAR, NARROW)])
            self.tables = near, back
        near, back = self.tables
        return piece.translate(near).encode("latin-1", "replace").translate(back)


def pattern_of(automaton: Mapping[str, Any]) -> Matches:
    width, classes = automaton["width"], _Classes(automaton["bounds"], automaton["classes"])
    table: list[int] = [to * width if to > 0 else to for to in automaton["table"]]
    start: int = automaton["start"] * width
    ends = {end * width for end in automaton["ends"]}
    quick = width <= NARROW and classes.bounds[-1] <= NEAR
    work = 1 if quick else SLOW
    ascii_ = bytes(classes[chr(code % 128)] for code in range(256)) if quick else b""

    def matches(text: str, all_of_it: bool, call: Call) -> bool | None:  # noqa: FBT001
        state, end = start, min(len(text), TEXT, call.left // work)
        for at in range(0, end, PIECE):
            piece = text[at : min(at + PIECE, end)]
            letters: Any = iter(piece)
            kinds: Iterable[int] = map(classes.__getitem__, letters)
            if quick and piece.isascii():
                kinds = letters = iter(piece.encode().translate(ascii_))
            elif quick and (len(piece) > SHORT or len(classes) >= SHORT):
                kinds = letters = iter(classes.classes_of(piece))
            for kind in kinds:
                state = table[state + kind]
                if state < 0:
                    call.left -= work * (at + len(piece) - length_hint(letters))
                    return state == -2
        call.left -= work * end
        return state in ends if all_of_it and end == len(text) else None

    return matches
