"""Two texts side by side as a page draws them: numbers, signs, and lines with their colours."""

from typing import Any

from governance.texts.text_diff import Part, Row, parts_around, side_by_side
from governance.texts.yaml_marks import marked_lines

MOST_LINES = 6_000  # shown on a page; a download has all

Sides = dict[str, list[dict[str, Any]]]


def sides_of(
    old: str, new: str, *, whole: bool = False, words: frozenset[str]
) -> tuple[Sides, int]:
    """And the number of lines that differ."""
    rows = side_by_side(old, new)
    parts = [Part(0, tuple(rows))] if whole else parts_around(rows)
    return _sides(parts, old, new, words), sum(row.kind != "same" for row in rows)


def _sides(parts: list[Part], old: str, new: str, words: frozenset[str]) -> Sides:
    sides: Sides = {"before": [], "after": []}
    marked = {"before": marked_lines(old, words), "after": marked_lines(new, words)}
    room = MOST_LINES
    for part in parts:
        rows, room = part.rows[:room], room - len(part.rows[:room])
        for side, lines in marked.items():
            drawn = [_drawn(row, side, lines) for row in rows]
            sides[side].append({"skipped": part.skipped, "lines": drawn})
    return sides


def _drawn(row: Row, side: str, lines: list[Any]) -> dict[str, Any]:
    number = row.before_line if side == "before" else row.after_line
    if number is None:
        return {"style": "gap", "number": "", "sign": "", "text": ""}
    text = lines[number - 1] if number <= len(lines) else ""
    if row.kind == "same":
        return {"style": "", "number": number, "sign": "", "text": text}
    style, sign = ("removed", "\N{MINUS SIGN}") if side == "before" else ("added", "+")
    return {"style": style, "number": number, "sign": sign, "text": text}
