"""Tests of contracts: size limits, and names for new ones."""

import json
from collections.abc import Collection, Iterator
from typing import Final, assert_never

from governance.core.cases import ACTIONS, Case, CaseCall, Decides, Expectation, Stops, words_of
from governance.core.errors import Problem
from governance.core.json_value import Json
from governance.core.masking import MASK
from governance.core.texts import is_storable

MOST_CASES: Final = 200
MOST_ENTRIES: Final = 50  # per session; each may stand for many equal calls
MOST_CALLS: Final = 600  # above the SDKs' own limit of 500 attempts, so that it can be tested
LARGEST: Final = 64 * 1024  # characters of its calls as JSON
LONGEST_NAME: Final = 128


def problems_of(case: Case) -> Iterator[Problem]:
    if not case.name or len(case.name) > LONGEST_NAME or not _is_one_line(case.name):
        yield Problem(path="name", message=f"Enter one line of 1 to {LONGEST_NAME} characters.")
    if len(json.dumps([_plain(each) for each in case.calls])) > LARGEST:
        yield Problem(path="args", message=f"A test has at most {LARGEST // 1024} KiB.")
    for each in case.calls:
        yield from _about(each)
    match case.expects:
        case Decides(action=action, rule=rule):
            if action not in ACTIONS:
                yield Problem(path="action", message=f"One of {', '.join(ACTIONS)}.")
        case Stops(rule=rule) as session:
            yield from _about_session(session)
        case _ as never:
            assert_never(never)
    if len(rule) > LONGEST_NAME or not _is_one_line(rule):
        yield Problem(path="rule", message=f"The id of a rule: at most {LONGEST_NAME} characters.")


def _about(call: CaseCall) -> Iterator[Problem]:
    if not call.tool or len(call.tool) > 256 or not _is_one_line(call.tool):
        yield Problem(path="tool", message="A tool has a name of 1 to 256 characters.")
    if len(call.environment) > LONGEST_NAME or not is_storable(call.environment):
        yield Problem(path="environment", message="The name of this environment is too long.")


def _about_session(session: Stops) -> Iterator[Problem]:
    if not 1 <= len(session.calls) <= MOST_ENTRIES:
        yield Problem(path="calls", message=f"A session has 1 to {MOST_ENTRIES} entries.")
    calls = sum(each.times for each in session.calls)
    if calls > MOST_CALLS or any(each.times < 1 for each in session.calls):
        yield Problem(path="calls", message=f"A session has at most {MOST_CALLS} calls.")
    number = session.stopped_at
    if number is not None and not 1 <= number <= calls:
        yield Problem(path="stopped_at", message=f"One of its calls: a number from 1 to {calls}.")


def _plain(call: CaseCall) -> list[object]:
    return [call.tool, call.args, call.principal, call.output, call.environment]


def _is_one_line(text: str) -> bool:
    return is_storable(text) and text.isprintable()


LONGEST_TOOL: Final = 48
LONGEST_ARGUMENT: Final = 48
# Arguments that identify a call best.
_TELLING: Final = ("command", "path", "file_path", "url", "query", "to", "id", "amount")


def named(expects: Expectation, used: Collection[str]) -> str:
    """Name for a test that no other test of the contract has."""
    call = expects.call if isinstance(expects, Decides) else expects.calls[0]
    words = [_cut(_one_line(call.tool), LONGEST_TOOL), _argument(call)]
    name = " ".join(filter(None, words)) + f": {_expected(expects)}"
    name = _cut(name, LONGEST_NAME)
    place = 1
    unique = name
    while unique in used:
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
    """The first argument that is short enough, preferring those that identify a call best."""
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
