"""Two texts side by side: rows of two lines with numbers, signs and colors."""

from typing import Any

from governance.texts.text_diff import Part, Row, parts_around, side_by_side
from governance.texts.yaml_marks import marked_lines

MOST_LINES = 6_000  # on a page; a download has all of them

Line = dict[str, Any]
Sides = list[dict[str, Any]]


def sides_of(
    old: str, new: str, *, all_rows: bool = False, words: frozenset[str]
) -> tuple[Sides, int]:
    """Parts of rows, and the number of differing lines."""
    rows = side_by_side(old, new)
    parts = [Part(0, tuple(rows))] if all_rows else parts_around(rows)
    return _sides(parts, old, new, words), sum(row.kind != "same" for row in rows)


def _sides(parts: list[Part], old: str, new: str, words: frozenset[str]) -> Sides:
    before, after = marked_lines(old, words), marked_lines(new, words)
    sides: Sides = []
    room = MOST_LINES
    for part in parts:
        rows, room = part.rows[:room], room - len(part.rows[:room])
        drawn = [_row(row, before, after) for row in rows]
        sides.append({"skipped": part.skipped, "rows": drawn})
    return sides


def _row(row: Row, before: list[Any], after: list[Any]) -> dict[str, Any]:
    style = "same" if row.kind == "same" else ""
    removed, added = ("", "") if style else ("removed", "added")
    return {
        "style": style,
        "before": _line(row.before_line, before, removed, "\N{MINUS SIGN}"),
        "after": _line(row.after_line, after, added, "+"),
    }


def _line(number: int | None, lines: list[Any], style: str, sign: str) -> Line:
    if number is None:
        return {"style": "gap", "number": "", "sign": "", "text": ""}
    text = lines[number - 1] if number <= len(lines) else ""
    return {"style": style, "number": number, "sign": sign if style else "", "text": text}
