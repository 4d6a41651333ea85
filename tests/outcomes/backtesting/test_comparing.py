"""Decisions read from recorded calls, and how replayed ones differ from them."""

import pytest

from outcomes.backtesting.domain.comparison import (
    LET_THROUGH,
    Answer,
    Decision,
    Recorded,
    Ruling,
    compare,
    drifts,
    recorded_of,
)
from outcomes.recorded_calls.domain import Change

DENIED = Recorded(Decision.DENIED, "a")
NEEDS_APPROVAL = Recorded(Decision.NEEDS_APPROVAL, "a")
BY_LIMIT = Recorded(Decision.DENIED, "max_tool_calls", by_limit=True)


def read(kind="execution_result", reason="", rule="", *, request=False):
    return recorded_of(kind, reason, rule, approval_requested=request)


def test_a_denial_by_a_rule_or_a_limit_is_read_as_a_denial():
    assert read("denied", "contract", "a") == DENIED
    assert read("denied", "limit", "max_tool_calls") == BY_LIMIT


@pytest.mark.parametrize("kind", ["execution_result", "failure", "timeout", "artifact_reference"])
def test_an_executed_call_is_read_as_allowed(kind):
    assert read(kind) == LET_THROUGH


def test_an_open_call_is_read_as_allowed():
    assert read("") == LET_THROUGH


def test_a_call_that_needed_approval_is_read_as_such_whatever_the_decision():
    assert read(request=True, rule="a") == NEEDS_APPROVAL
    assert read("", request=True, rule="a") == NEEDS_APPROVAL
    assert read("denied", "approval", "a") == NEEDS_APPROVAL


@pytest.mark.parametrize("reason", ["duplicate", "blocked", "pre_hook", "workflow", "odd", ""])
def test_a_denial_not_made_by_a_rule_is_not_replayed(reason):
    assert read("denied", reason) is None


@pytest.mark.parametrize("recorded", [LET_THROUGH, DENIED, NEEDS_APPROVAL, BY_LIMIT])
@pytest.mark.parametrize(
    ("decision", "change"),
    [
        (Decision.ALLOWED, Change.NEWLY_ALLOWED),
        (Decision.NEEDS_APPROVAL, Change.NEWLY_ASKING),
        (Decision.DENIED, Change.NEWLY_DENIED),
    ],
)
def test_a_different_decision_is_a_new_decision(recorded, decision, change):
    result = compare(recorded, Ruling(decision, (recorded.rule and (recorded.rule,)) or ()))
    assert result is (Change.UNCHANGED if recorded.decision is decision else change)


def test_the_same_decision_by_a_different_rule_is_changed():
    assert compare(DENIED, Ruling(Decision.DENIED, ("b",))) is Change.CHANGED
    assert compare(NEEDS_APPROVAL, Ruling(Decision.NEEDS_APPROVAL, ("b",))) is Change.CHANGED
    assert compare(Recorded(Decision.DENIED), Ruling(Decision.DENIED, ("b",))) is Change.UNCHANGED


def test_an_output_withheld_as_before_is_unchanged():
    redacts = Ruling(Decision.ALLOWED, output="redact")
    assert compare(LET_THROUGH, redacts) is Change.CHANGED
    assert compare(LET_THROUGH, redacts, output_before="redact") is Change.UNCHANGED
    assert compare(LET_THROUGH, Ruling(Decision.ALLOWED), output_before="redact") is Change.CHANGED


def test_deployed_rules_drift_if_they_decide_differently_than_recorded():
    assert drifts(LET_THROUGH, Answer(Decision.DENIED, "a"))
    assert not drifts(DENIED, Answer(Decision.DENIED, "a"))


def test_a_limit_denial_is_never_drift():
    assert not drifts(BY_LIMIT, Answer())
