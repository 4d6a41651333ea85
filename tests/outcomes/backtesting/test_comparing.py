"""How a record reads, and what differs from it."""

import pytest

from outcomes.backtesting.domain.comparison import (
    LET_THROUGH,
    Answer,
    Decision,
    Recorded,
    Said,
    compare,
    drifts,
    recorded_of,
)
from outcomes.recorded_calls.domain import Change

DENIED = Recorded(Decision.DENIED, "a")
ASKED = Recorded(Decision.ASKED, "a")
BY_LIMIT = Recorded(Decision.DENIED, "max_tool_calls", by_limit=True)


def read(kind="execution_result", reason="", rule="", *, asked=False):
    return recorded_of(kind, reason, rule, asked=asked)


def test_a_denial_by_a_rule_or_a_limit_is_read_as_a_denial():
    assert read("denied", "contract", "a") == DENIED
    assert read("denied", "limit", "max_tool_calls") == BY_LIMIT


@pytest.mark.parametrize("kind", ["execution_result", "failure", "timeout", "artifact_reference"])
def test_what_ran_was_let_through(kind):
    assert read(kind) == LET_THROUGH


def test_an_open_call_counts_as_let_through():
    assert read("") == LET_THROUGH


def test_who_was_asked_was_asked_whatever_the_answer():
    assert read(asked=True, rule="a") == ASKED
    assert read("", asked=True, rule="a") == ASKED
    assert read("denied", "approval", "a") == ASKED


@pytest.mark.parametrize("reason", ["duplicate", "blocked", "pre_hook", "workflow", "odd", ""])
def test_a_denial_that_no_rule_gave_is_not_replayed(reason):
    assert read("denied", reason) is None


@pytest.mark.parametrize("recorded", [LET_THROUGH, DENIED, ASKED, BY_LIMIT])
@pytest.mark.parametrize(
    ("decision", "change"),
    [
        (Decision.ALLOWED, Change.NEWLY_ALLOWED),
        (Decision.ASKED, Change.NEWLY_ASKING),
        (Decision.DENIED, Change.NEWLY_DENIED),
    ],
)
def test_another_decision_is_new(recorded, decision, change):
    found = compare(recorded, Said(decision, (recorded.rule and (recorded.rule,)) or ()))
    assert found is (Change.UNCHANGED if recorded.decision is decision else change)


def test_another_rule_that_says_the_same_is_otherwise_changed():
    assert compare(DENIED, Said(Decision.DENIED, ("b",))) is Change.CHANGED
    assert compare(ASKED, Said(Decision.ASKED, ("b",))) is Change.CHANGED
    assert compare(Recorded(Decision.DENIED), Said(Decision.DENIED, ("b",))) is Change.UNCHANGED


def test_an_output_that_is_withheld_as_before_is_no_change():
    redacts = Said(Decision.ALLOWED, output="redact")
    assert compare(LET_THROUGH, redacts) is Change.CHANGED
    assert compare(LET_THROUGH, redacts, output_before="redact") is Change.UNCHANGED
    assert compare(LET_THROUGH, Said(Decision.ALLOWED), output_before="redact") is Change.CHANGED


def test_the_deployed_rules_drift_when_they_say_otherwise_than_they_did():
    assert drifts(LET_THROUGH, Answer(Decision.DENIED, "a"))
    assert not drifts(DENIED, Answer(Decision.DENIED, "a"))


def test_a_limit_is_nothing_to_drift_from():
    assert not drifts(BY_LIMIT, Answer())
