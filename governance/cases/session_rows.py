"""Calls of a session test as form rows: a tool, its arguments as lines, and a repeat count."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from governance.cases.argument_lines import lines_of, values_in
from governance.core.case_text import call_as_dict, call_from, calls_from
from governance.core.cases import CaseCall
from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_object
from governance.core.numbers import parse_number

PREFIX: Final = "call:"
MOST_ROWS: Final = 30
_SHOWN: Final = frozenset({"tool", "args", "times"})


class Row(NamedTuple):
    tool: str = ""
    args: str = ""
    times: str = "1"
    more: str = ""  # the other keys of the call as JSON: principal, output, environment

    @property
    def is_empty(self) -> bool:
        return not self.tool and not self.args and not self.more


def rows_of(calls: Iterable[CaseCall]) -> list[Row]:
    return [_row(call_as_dict(call)) for call in calls]


def sent_rows(sent: Mapping[str, str]) -> list[Row]:
    """Rows in the order of their numbers; empty if the form had none."""
    numbers = {parse_number(key.removeprefix(PREFIX).partition(":")[0], 4) for key in sent}
    return [
        Row(*(sent.get(f"{PREFIX}{number}:{name}", default) for name, default in _DEFAULTS.items()))
        for number in sorted(number for number in numbers if number is not None)[:MOST_ROWS]
        if f"{PREFIX}{number}:tool" in sent
    ]


_DEFAULTS: Final = {name: Row._field_defaults[name] for name in Row._fields}


def rows_after(act: str, rows: Sequence[Row], calls: str) -> list[Row]:
    """Rows after an edit: `add`, `remove-2`, or `rows` to convert them from JSON."""
    verb, _, place = act.partition("-")
    number = parse_number(place, 4)
    if verb == "rows":
        rows = rows_of(calls_from(calls))
        if len(rows) > MOST_ROWS:
            raise InvalidInput.at("calls", f"The list shows up to {MOST_ROWS} calls. Use JSON.")
    elif verb == "remove" and number is not None:
        rows = [row for at, row in enumerate(rows, 1) if at != number]
    elif verb == "add" and len(rows) < MOST_ROWS:
        rows = [*rows, Row()]
    return list(rows) or [Row()]


def calls_of(rows: Sequence[Row]) -> tuple[CaseCall, ...]:
    """Calls of the rows that are filled in."""
    filled = [(number, row) for number, row in enumerate(rows, 1) if not row.is_empty]
    if not filled:
        raise InvalidInput.at("calls", "Add a call: choose its tool.")
    return tuple(_call(row, number) for number, row in filled)


def _row(call: Mapping[str, object]) -> Row:
    more = {name: value for name, value in call.items() if name not in _SHOWN}
    args = call["args"]
    return Row(
        str(call["tool"]),
        lines_of(args) if isinstance(args, dict) else "",
        str(call.get("times", 1)),
        json_written(more) if more else "",  # type: ignore[arg-type]  # values of a call are JSON
    )


def _call(row: Row, number: int) -> CaseCall:
    times = parse_number(row.times.strip() or "1")
    if not row.tool.strip():
        raise InvalidInput.at("calls", f"Call {number}: choose a tool.")
    if times is None:
        raise InvalidInput.at("calls", f"Call {number}: enter how often as a whole number.")
    try:
        args = values_in(row.args)
    except InvalidInput as refused:
        raise InvalidInput.at("calls", f"Call {number}: {refused}") from refused
    more = read_object(row.more) if row.more else {}
    named = {**more, "tool": row.tool.strip(), "args": args, "times": times}
    return call_from(named, f"calls[{number - 1}]")
