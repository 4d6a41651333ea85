"""Reports about an agent's tools: stored with history, listed on its page, and never a reason to
reject events."""

import json
from typing import Any

import pytest
from django.test import Client

from outcomes.ingest.commands.reports import NEWEST
from outcomes.models import AgentReport
from tests import builders
from tests.outcomes.pages import text_of

SCAN: dict[str, Any] = {
    "scanner_version": "0.19.0",
    "scan_date": "2026-11-18",
    "skills_dir": "skills",
    "total_scanned": 3,
    "violations": [
        {
            "name": "mailer",
            "risk_level": "critical",
            "violations": [{"message": "sends <b>mail</b>", "line": 7}],
        }
    ],
    "stats": {"critical": 1, "high": 0, "without_contracts": 2},
}
MANIFEST: dict[str, Any] = {
    "agent_id": "bot",
    "policy_version": "ab" * 32,
    "rules": [{"id": "no-rm", "type": "pre", "tool": "bash", "mode": "enforce"}],
}


def scan(client: Client, prefix: str = "/v1", **changes: Any) -> Any:
    body = json.dumps(SCAN | changes)
    return client.post(f"{prefix}/skill-scan", body, content_type="application/json")


@pytest.fixture
def bot(project) -> Client:
    return builders.bearing(builders.a_key(project)[0], **{"X-Edictum-Agent-Id": "bot"})


@pytest.mark.parametrize("prefix", ["/v1", "/api/v1"])
def test_a_scan_is_stored_and_listed_on_the_agent_page(bot, pages, prefix):
    answer = scan(bot, prefix)
    assert (answer.status_code, answer.json()) == (200, {"kept": True, "changed": True})
    page = pages.get("agents/bot/")
    text = text_of(page)
    assert "3 skills scanned, 1 critical, 0 high, 2 without contracts." in text
    assert "mailer critical line 7: sends <b>mail</b>" in text
    assert b"<b>mail</b>" not in page.content


def test_a_scan_in_the_format_of_0_16_is_listed_the_same_way(bot, pages):
    (result,) = SCAN["violations"]
    words = {"skill_name": "mailer", "risk_level": "CRITICAL", "findings": result["violations"]}
    scan(bot, "/api/v1", violations=None, findings=[words])
    assert "mailer CRITICAL line 7: sends <b>mail</b>" in pages.text("agents/bot/")


def test_an_unchanged_scan_is_not_stored_again_and_the_history_is_bounded(bot, pages):
    assert scan(bot).json()["changed"]
    assert not scan(bot).json()["changed"]
    for number in range(NEWEST + 5):
        scan(bot, total_scanned=number)
    assert AgentReport.objects.count() == NEWEST
    assert f"{NEWEST + 4} skills scanned" in pages.text("agents/bot/")
    assert "Earlier scans" in pages.text("agents/bot/")


def test_a_scan_without_a_header_belongs_to_the_agent_it_names_or_the_keys(project, pages):
    bound = builders.bearing(builders.a_key(project, agent="bound")[0])
    glob = builders.bearing(builders.a_key(project, agent="b*")[0])
    scan(bound)
    scan(glob, agent_id="billing")
    scan(builders.bearing(builders.a_key(project)[0]))
    for name in ("bound", "billing", "unknown"):
        assert "3 skills scanned" in pages.text(f"agents/{name}/")


def test_a_key_bound_to_other_agents_cannot_report_for_an_agent(project):
    bound = builders.bearing(builders.a_key(project, agent="b*")[0])
    assert scan(bound, agent_id="other").status_code == 403
    assert not AgentReport.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[1]", 422),
        (b"{", 400),
        (b"\xff", 400),
        (b"", 400),
        (b'{"a": "' + b"x" * (1024 * 1024) + b'"}', 413),
        (b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}", 422),
    ],
)
def test_an_invalid_report_is_rejected(bot, body, status):
    answer = bot.post("/v1/skill-scan", body, content_type="application/json")
    assert answer.status_code == status
    assert answer.json()["code"]


@pytest.mark.parametrize(
    "odd",
    [
        {"violations": "none", "stats": [1], "total_scanned": "many"},
        {"violations": [1, {"violations": [{"message": None, "line": "x"}]}], "stats": {"a": "b"}},
        {"agent_id": {"a": 1}, "scanner_version": 7, "skills_dir": "a\0b"},
    ],
)
def test_a_scan_of_unknown_format_is_displayed_raw(bot, pages, odd):
    assert scan(bot, **odd).status_code == 200
    assert "Raw report" in pages.text("agents/bot/")


@pytest.mark.parametrize("rules", ["rules", "contracts"])
def test_a_gate_manifest_is_stored_with_its_events(agent, pages, rules):
    manifest = {rules if name == "rules" else name: value for name, value in MANIFEST.items()}
    body = {"events": [builders.an_event(agent_id="bot")], "agent_manifest": manifest}
    assert agent.door(json.dumps(body).encode(), to="events")["accepted"] == 1
    text = pages.text("agents/bot/")
    assert "Gate manifest" in text
    assert "no-rm pre bash enforce" in text


@pytest.mark.parametrize("odd", [None, [], 7, {"agent_id": 7, "rules": 3}, {"a": "x" * 1_100_000}])
def test_events_are_accepted_whatever_manifest_accompanies_them(agent, odd):
    body = {"events": [builders.an_event()], "agent_manifest": odd}
    assert agent.door(json.dumps(body).encode(), to="events")["accepted"] == 1


def test_a_manifest_for_a_foreign_agent_is_ignored(project):
    bound = builders.bearing(builders.a_key(project, agent="b*")[0])
    body = {"events": [], "agent_manifest": MANIFEST | {"agent_id": "other"}}
    answer = bound.post("/v1/events", json.dumps(body), content_type="application/json")
    assert answer.status_code == 202
    assert not AgentReport.objects.exists()
