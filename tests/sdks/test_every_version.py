"""Agents on unmodified SDKs of every generation, against a running console.

The program reports what each agent observed. Every scenario has its own agent name, by which the
tests query what the console recorded.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.journeys.console import Console
from tests.sdks.agents import VERSIONS, Agents, a_key, answer_of, minor

pytestmark = pytest.mark.slow  # runs agents in separate environments

EXECUTED = ["call_allowed", "call_executed"]


def since(oldest: int, until: int = 99) -> pytest.MarkDecorator:
    have = [version for version in VERSIONS if oldest <= minor(version) <= until]
    return pytest.mark.parametrize("version", have)


every_version = since(12)


class Agent:
    """Results that a scenario reported, and those recorded by the console."""

    def __init__(self, agents: Agents, version: str, scenario: str) -> None:
        self.facts = agents.answer_of(version, scenario)
        self._console, self._name = agents.console, f"{scenario}-{version}"

    def calls(self) -> list[dict[str, Any]]:
        """Calls of this scenario, oldest first."""
        result: list[dict[str, Any]] = self._console.settled(f"outcomes?agent={self._name}")[
            "outcomes"
        ]
        return result[::-1]

    def call(self) -> dict[str, Any]:
        (call,) = self.calls()
        return call

    def actions(self) -> list[str]:
        result = self._console.settled(f"events?agent_id={self._name}")["events"]
        return [event["action"] for event in result][::-1]


@pytest.fixture
def agent(agents: Agents, version: str) -> Callable[[str], Agent]:
    return lambda scenario: Agent(agents, version, scenario)


def in_force(console: Console, version: str, bundle: str = "sdks") -> str:
    """Revision hash served to this SDK version. A key's format takes precedence over the path."""
    dialect = "old" if minor(version) < 17 else "new"
    key = a_key(console, f"reads {dialect}", dialect=dialect)
    status, answer = console.ask("GET", f"rulesets/{bundle}/current", key=key)
    assert status == 200
    return str(answer["revision_hash"])


@every_version
def test_a_guard_starts_with_what_is_in_force(agent, console, version):
    assert agent("from_server").facts["policy_version"] == in_force(console, version)


@every_version
def test_an_allowed_call_is_one_success(agent, console, version):
    allowed = agent("allowed")
    assert allowed.facts["said"] == "{'id': 7}"
    assert allowed.actions() == EXECUTED
    call = allowed.call()
    assert (call["type"], call["verdict"], call["reported"]) == (
        "execution_result",
        "success",
        "success",
    )
    assert (call["tool_name"], call["tool_args"]) == ("lookup", {"id": 7})
    assert call["environment"] == "production"
    assert call["policy_version"] == allowed.facts["policy_version"]
    # Up to 0.17, events don't include a session.
    assert (call["session_id"] is None) == (minor(version) < 18)


@every_version
def test_a_call_that_raises_is_one_failure(agent):
    failed = agent("failed")
    assert failed.facts["said"] == "failed: connection refused"
    assert failed.actions() == ["call_allowed", "call_failed"]
    call = failed.call()
    assert (call["type"], call["verdict"], call["reported"]) == ("failure", "failure", "failure")


@every_version
def test_a_denied_call_never_ran_and_names_its_rule(agent, console):
    denied = agent("denied")
    assert denied.facts == {"said": "denied: not as root", "ran": []}
    assert denied.actions() == ["call_blocked"]
    call = denied.call()
    assert (call["type"], call["reason"], call["verdict"]) == ("denied", "contract", None)
    (event,) = answer_of(console, "GET", f"outcomes/{call['call_id']}")["events"]
    assert event["decision_name"] == "no-root"


@every_version
def test_an_observed_rule_lets_the_call_run_and_is_seen(agent):
    observed = agent("observed")
    assert observed.facts["said"] == "ran"
    assert observed.actions() == ["call_would_block", *EXECUTED]
    call = observed.call()
    assert (call["type"], call["would_deny"], call["verdict"]) == (
        "execution_result",
        True,
        "success",
    )


@every_version
def test_a_check_of_ones_own_decides_what_is_reported(agent):
    checked = agent("custom_success_check")
    assert checked.facts["asked"] == ["good", "bad"]
    assert checked.facts["bad"].startswith("failed: ")
    verdicts = {call["tool_name"]: call["reported"] for call in checked.calls()}
    assert verdicts == {"good": "success", "bad": "failure"}


@every_version
def test_two_guards_of_one_session_share_its_limit(agent, console):
    shared = agent("shared_session_limit")
    enough = "denied: three are enough"
    assert shared.facts["said"] == ["ran", "ran", "ran", enough, enough]
    assert shared.facts["elsewhere"] == "ran"
    counted = answer_of(console, "GET", f"sessions/s:{shared.facts['session']}:execs")["value"]
    attempted = answer_of(console, "GET", f"sessions/s%3A{shared.facts['session']}%3Aattempts")[
        "value"
    ]
    assert (counted, attempted) == ("3", "5")
    reasons = [call["reason"] for call in shared.calls() if call["type"] == "denied"]
    assert reasons == ["limit", "limit"]


@every_version
def test_what_a_person_approves_runs(agent):
    approved = agent("approved")
    assert approved.facts["said"] == "ran"
    assert approved.actions() == ["call_asked", "call_approval_granted", "call_executed"]
    assert approved.call()["verdict"] == "success"


@every_version
def test_a_rejected_call_does_not_run_and_the_agent_learns_why(agent):
    rejected = agent("rejected")
    assert rejected.facts["said"] == "denied: seen by phone"
    assert rejected.actions() == ["call_asked", "call_approval_blocked"]
    assert rejected.call()["reason"] == "approval"


@every_version
def test_what_nobody_decides_is_denied(agent, console, version):
    timed_out = agent("timed_out")
    assert timed_out.facts["said"] == "denied: 1240 takes a person"
    assert timed_out.actions() == ["call_asked", "call_approval_timeout"]
    assert timed_out.call()["reason"] == "approval"
    assert approval_of(console, f"timed_out-{version}")["status"] == "timeout"


@every_version
def test_what_nobody_decides_runs_where_the_rule_says_so(agent, console, version):
    allowed = agent("timed_out_and_allowed")
    assert allowed.facts["said"] == "ran"
    assert allowed.actions() == ["call_asked", "call_approval_timeout", "call_executed"]
    assert (allowed.call()["type"], allowed.call()["verdict"]) == ("execution_result", "success")
    approval = approval_of(console, f"timed_out_and_allowed-{version}")
    assert approval["timeout_action"] == "allow"


def approval_of(console: Console, name: str) -> dict[str, Any]:
    (approval,) = answer_of(console, "GET", f"approvals?agent_id={name}")["approvals"]
    return dict(approval)


@every_version
def test_a_deployment_arrives_while_the_agent_runs(agent, console, version):
    reloaded = agent("hot_reload")
    assert reloaded.facts["taken"]
    assert (reloaded.facts["before"], reloaded.facts["after"]) == ("ran", "denied: not now")
    assert reloaded.facts["versions"][1] == in_force(console, version, reloaded.facts["bundle"])
    known = {call["type"]: call["policy_version"] for call in reloaded.calls()}
    assert [known["execution_result"], known["denied"]] == reloaded.facts["versions"]


@since(13)
def test_an_agent_without_a_bundle_has_what_it_is_assigned(agent, console, version):
    assigned = agent("server_assigned")
    assert assigned.facts == {
        "taken": True,
        "before": "denied: not as root",
        "after": "denied: no shell at all",
    }
    assert [call["policy_version"] for call in assigned.calls()] == [
        in_force(console, version, bundle) for bundle in ("sdks", "sdks-strict")
    ]


@since(16)
def test_an_agent_verifies_what_it_starts_with_and_what_it_is_sent(agent):
    verified = agent("signatures").facts
    assert verified["taken"]
    assert (verified["before"], verified["after"]) == ("ran", "denied: not now")
    assert "verification failed" in verified["wrong"]


@every_version
def test_without_a_console_nothing_runs_and_with_it_all_is_as_before(agent):
    down = agent("server_down")
    first, second, third = down.facts["said"]
    assert (first, third) == ("ran", "ran")
    assert second.startswith("raised: ")
    assert down.facts["ran"] == [1, 3]
    assert down.facts["start"] == "refused to start"
    assert down.actions() == [*EXECUTED, *EXECUTED]
    assert [call["verdict"] for call in down.calls()] == ["success", "success"]


@since(15, until=18)
def test_the_log_of_the_gate_is_accepted_with_its_decisions(agent):
    gate = agent("gate")
    assert gate.facts["sent"] == 2
    assert gate.actions() == ["call_allowed", "call_blocked"]
    allowed, blocked = gate.calls()
    assert (allowed["type"], allowed["tool_name"]) == (None, "Bash")
    assert (blocked["type"], blocked["reason"]) == ("denied", "contract")


@since(16)
def test_the_result_of_a_skill_scan_is_accepted(agent, console):
    assert agent("skill_scan").facts == {"taken": True, "said": console.url}
