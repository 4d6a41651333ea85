"""Suggestions over HTTP: reading, dismissing and restoring them."""

import json

from governance.models import AuditEntry
from outcomes.suggestions.commands.scans import request_scan
from tests import builders
from tests.outcomes.waiting_jobs import run_waiting_looks

SUGGESTIONS = "success-check-suggestions"


def looked(project, agent):
    agent.post(
        builders.an_outcome(output={"ok": False}, tool_name="crm", call_id="c-1", agent_id="bot"),
        builders.an_outcome(output={"ok": True}, tool_name="crm"),
    )
    request_scan(project.pk)
    run_waiting_looks()


def dismiss(agent, number, **words):
    path = f"{SUGGESTIONS}/{number}/dismissal"
    return agent.send(path, json.dumps(words).encode())


def test_a_suggestion_has_its_rule_row_and_samples(project, agent):
    assert agent.get(SUGGESTIONS) == {"suggestions": [], "looked_at": None}
    looked(project, agent)
    response = agent.get(SUGGESTIONS)
    assert response["looked_at"].endswith("Z")
    (one,) = response["suggestions"]
    assert (one["tool"], one["check"], one["rule"]) == ("crm", "flags", "not-ok")
    assert (one["row"], one["form"]) == ("32", "Slack style")
    assert (one["results"], one["of"], one["judge"]) == (1, 2, "default")
    assert one["saw"] == [{"selector": "result.ok", "value": "false", "results": 1}]
    (sample,) = one["samples"]
    assert (sample["call"], sample["agent"], sample["shape"]) == ("c-1", "bot", "{ok: false}")


def test_a_suggestion_can_be_dismissed_and_restored(project, agent):
    looked(project, agent)
    number = agent.get(SUGGESTIONS)["suggestions"][0]["id"]
    assert dismiss(agent, number).json()["dismissed_by"]
    assert agent.get(SUGGESTIONS)["suggestions"] == []
    assert len(agent.get(SUGGESTIONS, dismissed=True)["suggestions"]) == 1
    assert dismiss(agent, number, dismissed=False).json()["dismissed_at"] is None
    assert len(agent.get(SUGGESTIONS)["suggestions"]) == 1
    assert AuditEntry.objects.filter(action__startswith="suggestion").count() == 2


def test_an_unknown_suggestion_is_404(project, agent):
    assert dismiss(agent, 99).status_code == 404
    assert dismiss(agent, 2**70).status_code == 404
