"""Three-way merge of two texts with the same origin, with conflict markers.

No change of either text is lost. The markers are those of version control, and no contract that
still contains them can be saved.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from governance.core.errors import Problem

# Above this, diffing could take minutes, so the difference is one block.
MOST_LINES = 4_000
_MARK = re.compile(r"^<<<<<<< ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Merged:
    text: str
    conflicts: int


class _Common(NamedTuple):
    """A run of lines that all three texts contain."""

    base: int
    mine: int
    theirs: int
    length: int


def merge(base: str, mine: str, theirs: str, *, mine_is: str, theirs_is: str) -> Merged:
    """`mine` with the changes in `theirs` since `base`."""
    olds, ours, others = _lines(base), _lines(mine), _lines(theirs)
    pieces: list[str] = []
    conflicts = 0
    at = _Common(0, 0, 0, 0)
    for common in _common(olds, ours, others):
        old = olds[at.base : common.base]
        my, their = ours[at.mine : common.mine], others[at.theirs : common.theirs]
        if their in (old, my):
            pieces += my
        elif my == old:
            pieces += their
        else:
            conflicts += 1
            pieces += _both(my, their, mine_is, theirs_is)
        pieces += ours[common.mine : common.mine + common.length]
        at = _Common(
            common.base + common.length,
            common.mine + common.length,
            common.theirs + common.length,
            0,
        )
    return Merged("".join(pieces), conflicts)


def conflicts_in(text: str) -> list[Problem]:
    message = (
        "Both texts changed these lines: keep what is right, and remove the lines that begin "
        "with <<<<<<<, ======= and >>>>>>>."
    )
    return [
        Problem(message=message, line=text.count("\n", 0, mark.start()) + 1, column=1)
        for mark in _MARK.finditer(text)
    ]


def _both(my: list[str], their: list[str], mine_is: str, theirs_is: str) -> Iterator[str]:
    start = _same(zip(my, their, strict=False))
    end = _same(zip(reversed(my[start:]), reversed(their[start:]), strict=False))
    yield from my[:start]
    yield f"<<<<<<< {mine_is}\n"
    yield from _ended(my[start : len(my) - end])
    yield "=======\n"
    yield from _ended(their[start : len(their) - end])
    yield f">>>>>>> {theirs_is}\n"
    yield from my[len(my) - end :]


def _common(olds: list[str], ours: list[str], others: list[str]) -> Iterator[_Common]:
    """Common runs in order, ending with an empty one after the last lines."""
    ours_at, others_at = _matches(olds, ours), _matches(olds, others)
    left = right = 0
    while left < len(ours_at) and right < len(others_at):
        mine, theirs = ours_at[left], others_at[right]
        start = max(mine.a, theirs.a)
        end = min(mine.a + mine.size, theirs.a + theirs.size)
        if start < end:
            yield _Common(start, mine.b + start - mine.a, theirs.b + start - theirs.a, end - start)
        if mine.a + mine.size < theirs.a + theirs.size:
            left += 1
        else:
            right += 1
    yield _Common(len(olds), len(ours), len(others), 0)


class _Match(NamedTuple):
    a: int
    b: int
    size: int


def _matches(olds: list[str], news: list[str]) -> list[_Match]:
    start = _same(zip(olds, news, strict=False))
    end = _same(zip(reversed(olds[start:]), reversed(news[start:]), strict=False))
    matches = [_Match(0, 0, start)]
    old, new = olds[start : len(olds) - end], news[start : len(news) - end]
    if len(old) <= MOST_LINES and len(new) <= MOST_LINES:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        matches += [_Match(a + start, b + start, size) for a, b, size in blocks]
    matches.append(_Match(len(olds) - end, len(news) - end, end))
    return [match for match in matches if match.size]


def _same(pairs: Iterator[tuple[str, str]]) -> int:
    length = 0
    for one, other in pairs:
        if one != other:
            break
        length += 1
    return length


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _ended(lines: Sequence[str]) -> list[str]:
    """Lines that all end with a newline: a marker needs its own line."""
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
