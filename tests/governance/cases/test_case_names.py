"""Default names of tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.cases.domain import LONGEST_NAME, named, problems_of
from governance.core.cases import ACTIONS, Case, CaseCall, Decides, Stops


def denied(**args) -> Decides:
    return Decides(call=CaseCall(tool="refund", args=args), action="block")


@pytest.mark.parametrize(
    ("args", "name"),
    [
        ({"amount": 75}, "refund 75: denied"),
        ({"order": "A-7", "amount": 75}, "refund 75: denied"),
        ({"order": "A-7"}, "refund order=A-7: denied"),
        ({"lines": [1, 2], "fast": True}, "refund fast=true: denied"),
        ({"command": "rm -rf\n  /srv"}, "refund rm -rf /srv: denied"),
        ({"password": "[masked]"}, "refund: denied"),
        ({}, "refund: denied"),
        ({"path": "x" * 90}, f"refund {'x' * 47}…: denied"),
    ],
)
def test_a_name_has_the_tool_a_distinguishing_argument_and_the_decision(args, name):
    assert named(denied(**args), []) == name


def test_a_session_name_has_the_stopped_call():
    calls = (CaseCall(tool="refund", times=4),)
    assert named(Stops(calls=calls, stopped_at=4), []) == "refund: call 4 stopped"
    assert named(Stops(calls=calls), []) == "refund: no call stopped"


def test_generated_names_are_unique():
    items: list[str] = []
    for _ in range(12):
        items.append(named(denied(amount=75), items))
    assert len(set(items)) == 12
    assert items[1] == "refund 75: denied (2)"


TEXTS = st.text(min_size=1, max_size=300)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.lists(TEXTS)


@given(TEXTS, st.dictionaries(TEXTS, VALUES, max_size=3), st.sampled_from(ACTIONS))
def test_any_call_gets_a_valid_test_name(tool, args, action):
    call = CaseCall(tool=tool, args=args)
    name = named(Decides(call=call, action=action), [])
    again = named(Decides(call=call, action=action), [name])
    assert 0 < len(name) <= LONGEST_NAME
    for each in (name, again):
        case = Case(each, Decides(call=CaseCall(tool="t"), action=action))
        assert list(problems_of(case)) == []
