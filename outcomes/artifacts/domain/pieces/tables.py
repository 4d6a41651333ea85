"""Records of comma-separated values out of some bytes; one may go over several lines.

A quote that nobody closes would make one record of all that follows: such a line is taken alone.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from outcomes.artifacts.domain.pieces.texts import complete_characters, visible

RECORDS: Final = 100  # of one piece
WINDOW: Final = 128 * 1024  # bytes of one piece, which no field is longer than
LINES_OF_ONE: Final = 50  # that a record may go over
CELLS: Final = 40  # of a record that are shown
LONGEST: Final = 300  # characters of a cell that are shown
_DELIMITERS: Final = ",\t;|"


@dataclass(frozen=True, slots=True)
class Record:
    line: int  # where it begins
    cells: list[str]
    more: int  # cells that are not shown


@dataclass(frozen=True, slots=True)
class TablePiece:
    records: list[Record]
    start: int
    stop: int | None  # None: its first line is longer than the window
    next_line: int
    spoilt: int  # records whose quotes do not close


def delimiter_of(head: bytes) -> str:
    """The delimiter that occurs most often in the first line; empty if none of the known ones
    does."""
    first = head.partition(b"\n")[0].decode("utf-8", "replace")
    most = max(_DELIMITERS, key=first.count)
    return most if most in first else ""


def table_piece(
    window: bytes, start: int, line: int, delimiter: str, *, is_end: bool, most: int = RECORDS
) -> TablePiece:
    lines = _lines(window, most * LINES_OF_ONE)
    if lines and not is_end and not lines[-1].endswith(b"\n"):
        cut = lines.pop()
        if not lines:
            record = _record(line, _alone(complete_characters(cut), delimiter))
            return TablePiece([record], start, None, line + 1, 0)
    records: list[Record] = []
    place = spoilt = 0
    while place < len(lines) and len(records) < most:
        cells, used = _read(lines[place : place + LINES_OF_ONE], delimiter)
        if used is None:
            if records and not is_end and place + LINES_OF_ONE >= len(lines):
                break  # it may well close behind the window
            used, spoilt = 1, spoilt + 1
        records.append(_record(line + place, cells))
        place += used
    stop = start + sum(map(len, lines[:place]))
    return TablePiece(records, start, stop, line + place, spoilt)


def _lines(window: bytes, most: int) -> list[bytes]:
    """Divided by the end of a line alone, as lines are counted; no more than can be needed."""
    *ended, rest = window.split(b"\n", most)
    lines = [each + b"\n" for each in ended]
    return [*lines, rest] if rest and len(lines) < most else lines


def _read(lines: Sequence[bytes], delimiter: str) -> tuple[list[str], int | None]:
    """The first record, and how many lines it takes; None where its quotes do not close."""
    reader = csv.reader(map(_text, lines), delimiter=delimiter, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return _alone(lines[0], delimiter), None


def _alone(line: bytes, delimiter: str) -> list[str]:
    """One line, whatever its quotes say; a reader takes no field longer than its limit."""
    text = _text(line).removesuffix("\n")[: csv.field_size_limit()]
    return next(csv.reader([text], delimiter=delimiter), [])


def _text(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    end = "\n" if text.endswith("\n") else ""
    return visible(text.removesuffix("\n")) + end


def _record(line: int, cells: list[str]) -> Record:
    shown = [each if len(each) <= LONGEST else f"{each[:LONGEST]}…" for each in cells[:CELLS]]
    return Record(line, shown, max(0, len(cells) - CELLS))
