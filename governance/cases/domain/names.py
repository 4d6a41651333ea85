"""A name for a test that nobody has named: its tool, an argument that tells calls apart, and what
is expected of it."""

from collections.abc import Collection
from typing import Final

from governance.cases.domain.limits import LONGEST_NAME
from governance.core.cases import CaseCall, Decides, Expectation, Stops, words_of
from governance.core.json_value import Json
from governance.core.masking import MASK

LONGEST_TOOL: Final = 48
LONGEST_ARGUMENT: Final = 48
# What people know a call by, where it has one of them.
_TELLING: Final = ("command", "path", "file_path", "url", "query", "to", "id", "amount")


def named(expects: Expectation, taken: Collection[str]) -> str:
    """One that no other test of the contract has."""
    call = expects.call if isinstance(expects, Decides) else expects.calls[0]
    words = [_cut(_one_line(call.tool), LONGEST_TOOL), _argument(call)]
    name = " ".join(filter(None, words)) + f": {_expected(expects)}"
    name = _cut(name, LONGEST_NAME)
    place = 1
    unique = name
    while unique in taken:
        place += 1
        mark = f" ({place})"
        unique = name[: LONGEST_NAME - len(mark)] + mark
    return unique


def _expected(expects: Expectation) -> str:
    match expects:
        case Decides(action=action):
            return words_of(action, ())
        case Stops(stopped_at=None):
            return "no call stopped"
        case Stops(stopped_at=number):
            return f"call {number} stopped"


def _argument(call: CaseCall) -> str:
    """The first that is short enough to be read, one that tells the most before the others."""
    names = sorted(call.args, key=lambda name: name not in _TELLING)
    for name in names:
        value = _written(call.args[name])
        if value and MASK not in value:
            return value if name in _TELLING else _cut(f"{_one_line(name)}={value}")
    return ""


def _written(value: Json) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _cut(_one_line(value))
        case int() | float():
            return _cut(str(value))
        case _:
            return ""


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _cut(text: str, length: int = LONGEST_ARGUMENT) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
