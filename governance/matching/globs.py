"""Case-sensitive globs with `*` and `?` only; all other characters are literal."""

from functools import lru_cache
from typing import NamedTuple


def glob_matches(pattern: str, text: str) -> bool:
    head, star, tail = pattern.partition("*")
    if "?" in pattern or "*" in tail:
        return _matches_slowly(pattern, text)
    # Fast path for nearly all globs, which also run against whole fleets.
    if not star:
        return text == pattern
    fits = text.startswith(head) and text.endswith(tail)
    return fits and len(text) >= len(head) + len(tail)


class _Masks(NamedTuple):
    """A pattern as bit sets of its characters without the stars: bit n is the nth character."""

    letters: int
    of_letter: dict[str, int]  # positions of each literal character
    of_any: int
    at_a_star: int  # positions that follow a star


def _matches_slowly(pattern: str, text: str) -> bool:
    # Tracks all ways to distribute the text among the stars at once, one step per character.
    # Backtracking to the last star could take the product of both lengths.
    masks = _masks(pattern)
    reached = 1
    for letter in text:
        met = reached & (masks.of_letter.get(letter, 0) | masks.of_any)
        reached = met << 1 | reached & masks.at_a_star
        if not reached:
            return False
    return bool(reached >> masks.letters & 1)


@lru_cache(maxsize=256)
def _masks(pattern: str) -> _Masks:
    letters = of_any = at_a_star = 0
    of_letter: dict[str, int] = {}
    for letter in pattern:
        bit = 1 << letters
        if letter == "*":
            at_a_star |= bit
            continue
        if letter == "?":
            of_any |= bit
        else:
            of_letter[letter] = of_letter.get(letter, 0) | bit
        letters += 1
    return _Masks(letters, of_letter, of_any, at_a_star)
