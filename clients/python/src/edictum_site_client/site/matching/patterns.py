"""From the table of a pattern to a function that walks it: one step for each character."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Matches = Callable[[str], bool]


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
    # Looked up for a whole text at once, where a class fits into a byte.
    ascii_ = bytes(classes[chr(code % 128)] for code in range(256)) if width <= 256 else b""

    def matches(text: str) -> bool:
        kinds: Iterable[int] = map(classes.__getitem__, text)
        if ascii_ and text.isascii():
            kinds = text.encode().translate(ascii_)
        state = start
        for kind in kinds:
            state = table[state + kind]
            if state < 0:
                return state == -2
        return state in ends

    return matches
