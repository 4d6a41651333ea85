"""Tables as files: CSV without formulas, and JSON, streamed row by row so that a table of any
length fits into memory."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, Generic, TypeVar

Row = TypeVar("Row")
Columns = Mapping[str, Callable[[Row], object]]

# Spreadsheets treat a cell that starts with one of these as a formula, which may call out.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_ROWS_AT_ONCE: Final = 20  # an export yields to requests between chunks


class _Lines(Generic[Row]):
    """Buffer that the csv writer writes to, drained chunk by chunk."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, line: str) -> None:
        self.written.append(line)

    def drain(self) -> str:
        text, self.written = "".join(self.written), []
        return text


def columns_of_keys(*names: str) -> Columns[Mapping[str, Any]]:
    """Columns for rows that are mappings with these keys."""
    return {name: partial(_value_of, name=name) for name in names}


def _value_of(row: Mapping[str, Any], *, name: str) -> object:
    return row.get(name)


def as_csv(columns: Columns[Row], rows: Iterable[Row]) -> Iterator[str]:
    lines: _Lines[Row] = _Lines()
    writer = csv.writer(lines)
    writer.writerow(columns)
    for number, row in enumerate(rows, 1):
        writer.writerow([_cell(value(row)) for value in columns.values()])
        if number % _ROWS_AT_ONCE == 0:
            yield lines.drain()
    yield lines.drain()


def as_json(columns: Columns[Row], rows: Iterable[Row], *, name: str) -> Iterator[str]:
    yield f"{{{json.dumps(name)}: ["
    between = "\n"
    for row in rows:
        cells = {title: _plain(value(row)) for title, value in columns.items()}
        yield between + json.dumps(cells, ensure_ascii=False)
        between = ",\n"
    yield "\n]}\n"


def _cell(value: object) -> object:
    value = _plain(value)
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and (value.startswith(_FORMULA) or value.lstrip()[:1] in _SIGNS):
        return f"'{value}"
    return value


# Also their full-width forms, which some spreadsheets treat the same.
_SIGNS: Final = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")


def _plain(value: object) -> Any:
    match value:
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case list() | tuple() | set() | frozenset():
            return [_plain(each) for each in value]
        case dict():
            return {str(name): _plain(each) for name, each in value.items()}
        case None | bool() | int() | float():
            return value
        case _:
            return str(value)
