"""The effective verdict, its source, and disagreements between agent and console."""

import pytest

from governance.core.verdict import Verdict
from outcomes.record.classification import AgentCheck, agent_check, disagrees, effective

S, F, U = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN
RESULT = "execution_result"


def decided(classified, reported, kind=RESULT, **who):
    return effective(kind, classified, reported, **{"is_bound": False, "own_check": False} | who)


@pytest.mark.parametrize("own_check", [True, False])
@pytest.mark.parametrize("reported", [None, S, F])
@pytest.mark.parametrize("classified", [*Verdict])
def test_a_bound_check_replaces_the_verdict_of_the_agent(classified, reported, own_check):
    verdict = decided(classified, reported, is_bound=True, own_check=own_check)
    assert verdict == (classified, "check")


@pytest.mark.parametrize("reported", [S, F])
@pytest.mark.parametrize("classified", [None, *Verdict])
def test_the_default_check_does_not_override_an_agents_own_check(classified, reported):
    assert decided(classified, reported, own_check=True) == (reported, "agent")


@pytest.mark.parametrize(
    ("classified", "reported", "verdict", "decided_by"),
    [
        (S, F, F, "agent"),
        (F, S, F, "default"),
        (F, F, F, "default"),
        (S, S, S, "default"),
        (S, None, S, "default"),
        (F, None, F, "default"),
        (None, S, S, "agent"),
        (None, F, F, "agent"),
        (U, S, S, "agent"),
        (U, F, F, "agent"),
        (U, None, U, ""),
        (None, None, U, ""),
    ],
)
def test_without_a_bound_check_a_failure_from_agent_or_default_check_wins(
    classified, reported, verdict, decided_by
):
    assert decided(classified, reported) == (verdict, decided_by)


def test_an_agents_own_check_without_a_verdict_does_not_decide():
    assert decided(F, None, own_check=True) == (F, "default")


@pytest.mark.parametrize("kind", ["timeout", "failure"])
@pytest.mark.parametrize("reported", [None, S, F])
def test_timeouts_and_failures_are_decided_by_their_type(kind, reported):
    assert decided(F, reported, kind, is_bound=True, own_check=True) == (F, "type")


@pytest.mark.parametrize("kind", ["", "denied"])
def test_a_call_that_did_not_run_has_no_verdict(kind):
    assert decided(None, S, kind, own_check=True) == (None, "")


@pytest.mark.parametrize("reported", [None, *Verdict], ids=str)
@pytest.mark.parametrize("verdict", [None, *Verdict], ids=str)
def test_only_success_and_failure_can_disagree(reported, verdict):
    assert disagrees(reported, verdict) is ({reported, verdict} == {S, F})


@pytest.mark.parametrize("classified", [None, *Verdict])
@pytest.mark.parametrize("reported", [None, S, F])
def test_a_verdict_decided_by_the_agent_is_never_a_disagreement(classified, reported):
    for own_check in (True, False):
        verdict, decided_by = decided(classified, reported, own_check=own_check)
        assert decided_by != "agent" or not disagrees(reported, verdict)


@pytest.mark.parametrize(
    ("metadata", "check"),
    [
        ({"success_check": {"name": "crm", "version": 3}}, AgentCheck("crm", 3)),
        ({"success_check": {"name": "custom"}}, AgentCheck("custom", None)),
        ({"success_check": {"name": "crm", "version": True}}, AgentCheck("crm", None)),
        ({"success_check": {"name": "crm", "version": "3"}}, AgentCheck("crm", None)),
        ({"success_check": {"name": ""}}, None),
        ({"success_check": {"name": 4}}, None),
        ({"success_check": {}}, None),
        ({"success_check": "crm"}, None),
        ({"success_check": None}, None),
        ({}, None),
        (None, None),
    ],
    ids=str,
)
def test_an_outcome_can_name_the_agents_check_in_its_metadata(metadata, check):
    assert agent_check(metadata) == check
