"""The effective verdict: a bound check decides, else the agent's own check; otherwise the call
failed if the agent or the default check says so."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from governance.core.roles import Role
from outcomes.models import Call, Rejudging
from tests import builders
from tests.governance.naming import a_check, bound
from tests.outcomes.pages import text_of
from tests.outcomes.rejudging import reclassified
from tests.recount import differences

STATUS_500 = {"status": 500}
CUSTOM = {"success_check": {"name": "custom"}}
AT_LEAST_400 = "{id: http, when: {result.status: {gte: 400}}, verdict: failure}"


def ran(output, reported, call_id="c-1", **fields):
    at = datetime.now(UTC) - timedelta(minutes=3)
    usual = {"call_id": call_id, "tool_name": "http_get", "agent_id": "bot", "session_id": "s-1"}
    usual |= {"timestamp": at.isoformat()}
    return builders.an_outcome(output=output, tool_success=reported, **usual | fields)


def verdict_of(agent, call_id="c-1"):
    call = agent.outcome(call_id)
    return call["verdict"], call["decided_by"], call["disagreement"]


def page_of(project, call_id="c-1"):
    return reverse("outcomes:call", args=[project.slug, call_id])


def test_the_default_check_does_not_override_an_agents_own_check(agent):
    agent.post(
        ran(STATUS_500, reported=False, metadata=CUSTOM),
        ran(STATUS_500, reported=False, call_id="c-2", metadata=CUSTOM),
        ran({"status": 200}, reported=True, call_id="c-3", metadata=CUSTOM),
        ran({"is_error": True}, reported=True, call_id="c-4", metadata=CUSTOM),
    )
    assert verdict_of(agent, "c-1") == ("failure", "agent", False)
    assert verdict_of(agent, "c-4") == ("success", "agent", False)
    session = agent.session("s-1")
    assert (session["counts"]["successes"], session["counts"]["failures"]) == (2, 2)
    assert agent.get("stats", by="tool")["rows"][0]["failures"] == 2
    assert {call["call_id"] for call in agent.outcomes(verdict="failure")} == {"c-1", "c-2"}
    assert agent.outcomes(disagreement=True) == []
    assert differences() == []


@pytest.mark.parametrize("name", ["custom", "http-status", "never-saved-here"])
def test_the_named_check_of_a_call_applies_whether_stored_here_or_not(agent, name):
    agent.post(ran(STATUS_500, reported=False, metadata={"success_check": {"name": name}}))
    assert verdict_of(agent) == ("failure", "agent", False)


def test_a_bound_check_replaces_the_agents_own(project, agent):
    a_check(project, AT_LEAST_400)
    bound(project, "http_* mine")
    agent.post(
        ran(STATUS_500, reported=True, metadata=CUSTOM),
        ran({"status": 200}, reported=False, call_id="c-2", metadata=CUSTOM),
    )
    assert verdict_of(agent, "c-1") == ("failure", "check", True)
    assert verdict_of(agent, "c-2") == ("success", "check", True)
    assert differences() == []


def test_a_binding_to_the_default_check_lets_it_decide_alone(project, agent):
    bound(project, "http_* default")
    agent.post(ran(STATUS_500, reported=False, metadata=CUSTOM))
    assert verdict_of(agent) == ("success", "check", True)
    agent.post(ran(STATUS_500, reported=False, tool_name="other", call_id="c-2", metadata=CUSTOM))
    assert verdict_of(agent, "c-2") == ("failure", "agent", False)
    assert differences() == []


def test_a_failure_reported_only_by_the_agent_stays_a_failure(agent):
    agent.post(ran({"content": "Error: no such thing"}, reported=False))
    call = agent.outcome("c-1")
    assert verdict_of(agent) == ("failure", "agent", False)
    assert (call["check"], call["classified"], call["checked"]) == ("default", "success", True)


def test_the_default_check_detects_a_silent_failure(agent):
    agent.post(ran({"is_error": True}, reported=True))
    assert verdict_of(agent) == ("failure", "default", True)


@pytest.mark.parametrize(
    ("fields", "verdict", "decided_by"),
    [
        ({"type": "timeout"}, "failure", "type"),
        ({"type": "failure", "tool_success": True}, "failure", "type"),
        ({"type": "denied", "reason": "contract"}, None, None),
        ({"type": "execution_result", "tool_success": True}, "success", "agent"),
        ({"type": "execution_result"}, "unknown", None),
    ],
    ids=["timeout", "failure", "denied", "reported only", "nobody"],
)
def test_calls_without_an_output_have_the_source_of_their_verdict(
    agent, fields, verdict, decided_by
):
    item = ran(None, reported=None, metadata=CUSTOM) | fields
    del item["output"]
    agent.post({name: value for name, value in item.items() if value is not None})
    assert verdict_of(agent)[:2] == (verdict, decided_by)
    assert differences() == []


def test_a_later_report_is_weighed_by_the_check_that_classified_the_call(project, agent):
    a_check(project, AT_LEAST_400)
    bound(project, "http_* mine")
    agent.post(ran({"status": 200}, reported=None))
    bound(project)
    agent.post_events(
        builders.an_event(
            "call_failed", call_id="c-1", tool_name="http_get", agent_id="bot", session_id="s-1"
        )
    )
    assert verdict_of(agent) == ("success", "check", True)
    assert differences() == []


def test_a_large_output_stored_as_an_artifact_is_decided_by_the_agents_own_check(agent):
    agent.post(ran({"status": 500, "text": "x" * 20_000}, reported=False, metadata=CUSTOM))
    assert agent.outcome("c-1")["type"] == "artifact_reference"
    assert verdict_of(agent) == ("failure", "agent", False)


def test_reclassification_applies_the_rule_and_preserves_the_agents_own_checks(project, agent):
    a_check(project, AT_LEAST_400)
    bound(project, "http_* mine")
    large = {"status": 200, "text": "x" * 20_000}
    agent.post(
        ran({"status": 200}, reported=False, metadata=CUSTOM),
        ran({"status": 200}, reported=False, call_id="c-2"),
        ran({"status": 200}, reported=True, call_id="c-3"),
        ran(large, reported=False, call_id="c-4", metadata=CUSTOM),
    )
    assert verdict_of(agent) == ("success", "check", True)
    bound(project)
    reclassified(project)
    assert verdict_of(agent, "c-1") == ("failure", "agent", False)
    assert verdict_of(agent, "c-2") == ("failure", "agent", False)
    assert verdict_of(agent, "c-3") == ("success", "default", False)
    assert verdict_of(agent, "c-4") == ("failure", "agent", False)
    present, past = agent.outcome("c-1")["verdicts"]
    assert (past["check"], past["effective"], past["decided_by"]) == ("mine", "success", "check")
    assert (present["check"], present["effective"], present["decided_by"]) == (
        "default",
        "failure",
        "agent",
    )
    assert agent.session("s-1")["counts"]["failures"] == 3
    (job,) = Rejudging.objects.all()
    flips = agent.get(f"reclassifications/{job.pk}")["by_rule"]
    assert flips["(reported by the agent)"]["newly_failed"] == 3
    assert differences() == []
    bound(project, "http_* mine")
    reclassified(project)
    assert verdict_of(agent, "c-4") == ("success", "check", True)
    assert differences() == []


def test_the_call_page_explains_the_source_of_the_verdict(project, agent, client_as):
    agent.post(
        ran(STATUS_500, reported=False, metadata=CUSTOM),
        ran({"content": "x"}, reported=False, call_id="c-2"),
        ran({"is_error": True}, reported=True, call_id="c-3"),
        ran(None, reported=None, call_id="c-4", type="timeout"),
    )
    viewer = client_as(Role.VIEWER)
    own = text_of(viewer.get(page_of(project)))
    assert "the agent's own check decides" in own
    assert "reported as failure" in own
    assert "The agent decides: it may know of a failure" in text_of(
        viewer.get(page_of(project, "c-2"))
    )
    assert "so the default check decides" in text_of(viewer.get(page_of(project, "c-3")))
    assert "A timeout is always a failure. No check runs." in text_of(
        viewer.get(page_of(project, "c-4"))
    )


def test_lists_and_files_include_the_source_of_the_verdict(project, agent, client_as):
    agent.post(ran(STATUS_500, reported=False, metadata=CUSTOM))
    viewer = client_as(Role.VIEWER)
    calls = reverse("outcomes:calls", args=[project.slug])
    assert "agent's own check" in text_of(viewer.get(calls))
    file = viewer.get(calls + "?format=csv")
    (row,) = csv.DictReader(io.StringIO(file.getvalue().decode()))
    assert (row["verdict"], row["decided_by"]) == ("failure", "agent")


def test_failures_reported_by_the_agent_are_a_separate_group(project, agent):
    agent.post(
        ran(STATUS_500, reported=False, metadata=CUSTOM), ran(None, reported=False, call_id="c-2")
    )
    agent.post(ran({"is_error": True}, reported=True, call_id="c-3"))
    calls = Call.objects.order_by("call_id").values_list("group__check_name", "group__rule")
    assert list(calls) == [("", ""), ("", ""), ("default", "is_error")]
    assert differences() == []


def test_disagreements_never_suggest_a_check_that_would_make_the_right_side_wrong(
    project, agent, client_as
):
    address = reverse("outcomes:disagreements", args=[project.slug])
    viewer = client_as(Role.VIEWER)
    agent.post(ran({"content": "Error: no such thing"}, reported=False))
    assert "No disagreements" in text_of(viewer.get(address))
    a_check(project, AT_LEAST_400)
    bound(project, "http_* mine")
    agent.post(ran({"content": "Error: no such thing"}, reported=False, call_id="c-2"))
    text = text_of(viewer.get(address))
    assert "Did the call fail?" in text
    assert "give it to the agent" not in text
    agent.post(ran({"is_error": True}, reported=True, call_id="c-3", tool_name="other"))
    text = text_of(viewer.get(address))
    assert "Bind a check for this tool" in text
