"""Retention pages and API."""

import json

import pytest

from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.models import Hold, RetentionRun, Session
from outcomes.retention.domain import Kind
from outcomes.retention.queries.rules import days_of
from tests import builders
from tests.outcomes.pages import Pages, an_item
from tests.outcomes.retention.later import carried_out, days_later

BASE = "settings/retention/"


@pytest.fixture
def admin(project):
    return Pages(builders.signed_in(builders.a_member(project, Role.ADMIN).user), project.slug)


def sent(client, method, path, body=None):
    text = "" if body is None else json.dumps(body)
    return client.generic(method, f"/v1/{path}", text, content_type="application/json")


def test_the_page_lists_rules_and_the_rows_due(project, agent, admin, monkeypatch):
    agent.post(an_item("s-1"), an_item("s-1"), an_item(None))
    assert "Nothing is due for removal" in admin.text(BASE)
    assert "Calls and events" in admin.text(BASE)
    RetentionRun.objects.all().delete()
    days_later(monkeypatch, 401)
    rules = sent(agent.client, "GET", "retention").json()["rules"]
    due = {rule["kind"]: rule["due"]["rows"] for rule in rules}
    assert (due["calls"], due["payloads"]) == (3, 3)
    assert all(rule["due"]["bytes"] > 0 for rule in rules if rule["due"]["rows"])


def test_a_rule_can_be_changed_on_its_page(project, agent, admin):
    agent.post(an_item())
    address = f"{admin.base}/{BASE}rule/?kind=payloads&environment=production"
    assert "Payloads in production" in admin.text(
        f"{BASE}rule/", kind="payloads", environment="production"
    )
    environment = project.environments.get().pk
    answer = admin.client.post(address, {"keep": "days", "days": "14"})
    assert answer.status_code == 302
    assert days_of(project.pk, environment)[Kind.PAYLOADS] == 14
    refused = admin.client.post(address, {"keep": "days", "days": "4000"})
    assert refused.status_code == 422
    assert "Payloads cannot be kept longer than their calls." in refused.text
    assert admin.client.post(address, {"keep": "inherit"}).status_code == 302
    assert days_of(project.pk, environment)[Kind.PAYLOADS] == 90


def test_a_run_can_be_started_and_cancelled_on_the_page(project, admin):
    builders.an_environment(project)
    admin.client.post(f"{admin.base}/{BASE}run/")
    run = RetentionRun.objects.get()
    assert "A run is removing data" in admin.text(BASE)
    again = admin.client.post(f"{admin.base}/{BASE}run/", follow=True)
    assert "A run is in progress" in again.text
    admin.client.post(f"{admin.base}/{BASE}runs/{run.pk}/cancel/")
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert run.author.startswith("person:")


def test_holds_can_be_placed_and_lifted_on_the_page(project, agent, admin, pages):
    agent.post(an_item("s-1"))
    address = f"{admin.base}/{BASE}holds/new/"
    given = {"session": "s-1", "environment": "production", "reason": "Case 12"}
    assert admin.client.post(address, given).status_code == 302
    assert "Case 12" in pages.text(BASE)
    assert "Legal hold" in pages.session("s-1")
    assert admin.client.post(address, given).status_code == 422
    assert admin.client.post(address, {"query": "tool:"}).status_code == 422
    assert admin.client.post(address, {"query": "tool:query"}).status_code == 302
    for hold in Hold.objects.all():
        admin.client.post(f"{admin.base}/{BASE}holds/{hold.pk}/lift/")
    assert not Hold.objects.exists()
    actions = AuditEntry.objects.filter(action__startswith="legal hold").order_by("number")
    assert [entry.action.split()[-1] for entry in actions] == [
        "placed",
        "placed",
        "lifted",
        "lifted",
    ]


def test_a_held_session_cannot_be_deleted(agent, admin):
    agent.post(an_item("s-1"))
    assert sent(agent.client, "POST", "legal-holds", {"query": "tool:query"}).status_code == 201
    refused = sent(agent.client, "DELETE", "agent-sessions/s-1")
    assert refused.status_code == 409
    answer = admin.client.post(f"{admin.base}/delete-session/?of=s-1", {"typed": "s-1"})
    assert "This session is on legal hold. Lift the hold to delete it." in answer.text
    assert Session.objects.get().attempts == 1


def test_a_page_states_since_when_only_rollups_remain(project, agent, pages, monkeypatch):
    agent.post(an_item("s-1"))
    roll_up()
    assert "removed by retention" not in pages.text("tools/", range="30d")
    for kind, days in (("payloads", 7), ("calls", 7)):
        answer = sent(agent.client, "PUT", "retention/rules", {"kind": kind, "days": days})
        assert answer.status_code == 200, answer.text
    days_later(monkeypatch, 8)
    carried_out(project)
    text = pages.text("tools/", range="30d")
    assert "were removed by retention. Figures for that time are exact" in text
    assert "removed by retention" not in pages.text("tools/", range="24h")


def test_the_start_page_states_the_retention_periods(admin):
    assert "Payloads 90 days, calls 400 days, rates forever" in admin.text("start/")


def test_the_api_manages_rules_runs_and_holds(project, agent, reader):
    agent.post(an_item("s-1"))
    rule = sent(agent.client, "PUT", "retention/rules", {"kind": "calls", "days": None}).json()
    assert (rule["days"], rule["own"]) == (None, True)
    reset = sent(agent.client, "DELETE", "retention/rules?kind=calls").json()
    assert (reset["days"], reset["default"]) == (400, True)
    assert sent(agent.client, "PUT", "retention/rules", {"kind": "odd"}).status_code == 422
    run = sent(agent.client, "POST", "retention/runs").json()
    assert sent(agent.client, "POST", "retention/runs").status_code == 409
    assert sent(reader, "GET", f"retention/runs/{run['id']}").json()["status"] == "queued"
    assert (
        sent(agent.client, "DELETE", f"retention/runs/{run['id']}").json()["status"] == "cancelled"
    )
    held = sent(agent.client, "POST", "legal-holds", {"session": "s-1", "reason": "Case"}).json()
    assert sent(reader, "GET", "legal-holds").json()["holds"] == [held]
    assert sent(agent.client, "POST", "legal-holds", {}).status_code == 422
    assert sent(agent.client, "DELETE", f"legal-holds/{held['id']}").status_code == 204
    assert sent(reader, "POST", "retention/runs").status_code == 403
