"""Line diff of two texts in bounded time.

Lines that occur once in both are matched first, as many as possible in order; only short stretches
between them are compared line by line.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from governance.core.ascending import longest_ascending

_SMALL = 40_000  # product of line counts up to which all lines are compared
_LINE_ENDS = ("\r\n", "\r")

Block = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of either text or of both; a side without it is a gap and has no number."""

    kind: Literal["same", "changed", "added", "removed"]
    before_line: int | None
    before: str
    after_line: int | None
    after: str


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive rows; `skipped` equal rows before them are omitted."""

    skipped: int
    rows: tuple[Row, ...]


def side_by_side(before: str, after: str) -> list[Row]:
    old, new = _lines(before), _lines(after)
    rows: list[Row] = []
    done_a = done_b = 0
    for a, a_end, b, b_end in [*_differences(old, new), (len(old), len(old), len(new), len(new))]:
        rows += _same(old, done_a, done_b, a - done_a)
        rows += _different(old, a, a_end, new, b, b_end)
        done_a, done_b = a_end, b_end
    return rows


def parts_around(rows: Sequence[Row], context: int = 3) -> list[Part]:
    """Changed rows with some equal rows around them; empty for equal texts."""
    shown: list[bool] = [False] * len(rows)
    for place, row in enumerate(rows):
        if row.kind != "same":
            for near in range(max(0, place - context), min(len(rows), place + context + 1)):
                shown[near] = True
    parts: list[Part] = []
    skipped = 0
    gathered: list[Row] = []
    for row, is_shown in zip(rows, shown, strict=True):
        if is_shown:
            gathered.append(row)
            continue
        if gathered:
            parts.append(Part(skipped, tuple(gathered)))
            gathered, skipped = [], 0
        skipped += 1
    return [*parts, Part(skipped, tuple(gathered))] if gathered else parts


def _lines(text: str) -> list[str]:
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _same(lines: list[str], a: int, b: int, length: int) -> Iterator[Row]:
    for step in range(length):
        line = lines[a + step]
        yield Row("same", a + step + 1, line, b + step + 1, line)


def _different(
    old: list[str], a: int, a_end: int, new: list[str], b: int, b_end: int
) -> Iterator[Row]:
    both = min(a_end - a, b_end - b)
    for step in range(both):
        yield Row("changed", a + step + 1, old[a + step], b + step + 1, new[b + step])
    for place in range(a + both, a_end):
        yield Row("removed", place + 1, old[place], None, "")
    for place in range(b + both, b_end):
        yield Row("added", None, "", place + 1, new[place])


def _differences(old: list[str], new: list[str]) -> Iterator[Block]:
    """Differing stretches in order, trimmed of equal lines at both ends."""
    waiting: list[Block] = [(0, len(old), 0, len(new))]
    while waiting:
        a, a_end, b, b_end = waiting.pop()
        while a < a_end and b < b_end and old[a] == new[b]:
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        if a == a_end and b == b_end:
            continue
        between = _between((a, a_end, b, b_end), _anchors(old, a, a_end, new, b, b_end))
        if len(between) > 1:
            waiting += reversed(between)
        elif (a_end - a) * (b_end - b) <= _SMALL:
            yield from _compared(old, a, a_end, new, b, b_end)
        else:
            yield a, a_end, b, b_end


def _anchors(
    old: list[str], a: int, a_end: int, new: list[str], b: int, b_end: int
) -> list[tuple[int, int]]:
    """Lines that occur once in each stretch, as many as possible in the same order."""
    in_old, in_new = Counter(old[a:a_end]), Counter(new[b:b_end])
    once_in_new = {line: place for place, line in enumerate(new[b:b_end], b) if in_new[line] == 1}
    pairs = [
        (place, once_in_new[line])
        for place, line in enumerate(old[a:a_end], a)
        if in_old[line] == 1 and line in once_in_new
    ]
    indexes = longest_ascending([there for _, there in pairs])
    return [pairs[index] for index in indexes]


def _between(block: Block, anchors: list[tuple[int, int]]) -> list[Block]:
    a, a_end, b, b_end = block
    blocks: list[Block] = []
    for here, there in anchors:
        blocks.append((a, here, b, there))
        a, b = here + 1, there + 1
    return [*blocks, (a, a_end, b, b_end)]


def _compared(
    old: list[str], a: int, a_end: int, new: list[str], b: int, b_end: int
) -> Iterator[Block]:
    matcher = SequenceMatcher(None, old[a:a_end], new[b:b_end], autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag != "equal":
            yield a + i, a + i_end, b + j, b + j_end
