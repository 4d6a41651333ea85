"""Records of CSV parsed from part of a file; a record may span several lines.

An unclosed quote would make one record of everything after it, so its line is parsed alone.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from outcomes.artifacts.domain.pieces.texts import complete_characters, visible

RECORDS: Final = 100  # per piece
WINDOW: Final = 128 * 1024  # bytes of a piece, and maximum length of a field
LINES_OF_ONE: Final = 50  # maximum lines of a record
CELLS: Final = 40  # cells shown per record
LONGEST: Final = 300  # characters shown per cell
_DELIMITERS: Final = ",\t;|"


@dataclass(frozen=True, slots=True)
class Record:
    line: int  # first line
    cells: list[str]
    more: int  # cells that are not shown


@dataclass(frozen=True, slots=True)
class TablePiece:
    records: list[Record]
    start: int
    stop: int | None  # None: the first line is longer than the window
    next_line: int
    spoilt: int  # records with unclosed quotes


def delimiter_of(head: bytes) -> str:
    """Most frequent known delimiter in the first line, or empty if it contains none."""
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
                break  # it may be closed after the window
            used, spoilt = 1, spoilt + 1
        records.append(_record(line + place, cells))
        place += used
    stop = start + sum(map(len, lines[:place]))
    return TablePiece(records, start, stop, line + place, spoilt)


def _lines(window: bytes, most: int) -> list[bytes]:
    """Up to `most` lines, split at line feeds only, to match line numbers."""
    *ended, rest = window.split(b"\n", most)
    lines = [each + b"\n" for each in ended]
    return [*lines, rest] if rest and len(lines) < most else lines


def _read(lines: Sequence[bytes], delimiter: str) -> tuple[list[str], int | None]:
    """First record and its number of lines, or None if its quotes are unclosed."""
    reader = csv.reader(map(_text, lines), delimiter=delimiter, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return _alone(lines[0], delimiter), None


def _alone(line: bytes, delimiter: str) -> list[str]:
    """Cells of one line, even if its quotes are unclosed, cut at the CSV parser's field limit."""
    text = _text(line).removesuffix("\n")[: csv.field_size_limit()]
    return next(csv.reader([text], delimiter=delimiter), [])


def _text(line: bytes) -> str:
    text = line.decode("utf-8", "replace")
    end = "\n" if text.endswith("\n") else ""
    return visible(text.removesuffix("\n")) + end


def _record(line: int, cells: list[str]) -> Record:
    shown = [each if len(each) <= LONGEST else f"{each[:LONGEST]}…" for each in cells[:CELLS]]
    return Record(line, shown, max(0, len(cells) - CELLS))
