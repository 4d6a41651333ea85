"""How large cases may be, and what a database and the library can take of them."""

import json
from collections.abc import Iterator
from typing import Final, assert_never

from governance.core.cases import ACTIONS, Case, CaseCall, Decides, Stops
from governance.core.errors import Problem
from governance.core.texts import can_be_kept

MOST_CASES: Final = 200
MOST_ENTRIES: Final = 50  # of a session; each may stand for many equal calls
MOST_CALLS: Final = 600  # so that the SDKs' own limit of 500 attempts can be told
LARGEST: Final = 64 * 1024  # characters of its calls as JSON
LONGEST_NAME: Final = 128


def problems_of(case: Case) -> Iterator[Problem]:
    if not case.name or len(case.name) > LONGEST_NAME or not _is_one_line(case.name):
        yield Problem(path="name", message=f"A name has 1 to {LONGEST_NAME} characters, one line.")
    if len(json.dumps([_plain(each) for each in case.calls])) > LARGEST:
        yield Problem(path="args", message=f"A test holds at most {LARGEST // 1024} KiB.")
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
    if len(call.environment) > LONGEST_NAME or not can_be_kept(call.environment):
        yield Problem(path="environment", message="An environment's name is shorter.")


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
    return can_be_kept(text) and text.isprintable()
