"""From the table of a pattern to a function that walks it: one step for each character."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from operator import length_hint
from typing import Any

from governance.domain.checks.matching.call import TEXT, Call

# Whether it is found in a text, of which all is given or only the beginning. None: undecided.
Matches = Callable[[str, bool, Call], bool | None]
PIECE = 65_536  # characters that are walked at a time: memory, for the work is the same


class _Classes(dict[str, int]):
    """The class of each character, found once."""

    def __init__(self, automaton: Mapping[str, Any]) -> None:
        self.bounds, self.classes = automaton["bounds"], automaton["classes"]

    def __missing__(self, character: str) -> int:
        found: int = self.classes[bisect_right(self.bounds, ord(character)) - 1]
        if len(self) < 4_096:
            self[character] = found
        return found


def pattern_of(automaton: Mapping[str, Any]) -> Matches:
    width, classes = automaton["width"], _Classes(automaton)
    table: list[int] = [to * width if to > 0 else to for to in automaton["table"]]
    start: int = automaton["start"] * width
    ends = {end * width for end in automaton["ends"]}
    # Looked up for many characters at once, where a class fits into a byte.
    ascii_ = bytes(classes[chr(code % 128)] for code in range(256)) if width <= 256 else b""

    def matches(text: str, all_of_it: bool, call: Call) -> bool | None:  # noqa: FBT001
        state, end = start, min(len(text), TEXT, call.left)
        for at in range(0, end, PIECE):
            piece = text[at : min(at + PIECE, end)]
            letters: Any = iter(piece)
            kinds: Iterable[int] = map(classes.__getitem__, letters)
            if ascii_ and piece.isascii():
                kinds = letters = iter(piece.encode().translate(ascii_))
            for kind in kinds:
                state = table[state + kind]
                if state < 0:
                    call.left -= at + len(piece) - length_hint(letters)
                    return state == -2
        call.left -= end
        return state in ends if all_of_it and end == len(text) else None

    return matches
