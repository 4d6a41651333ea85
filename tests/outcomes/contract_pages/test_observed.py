"""Calls that a contract in observe mode would have denied: counted, reviewed, then enforced."""

from typing import Any

import pytest
from django.urls import reverse

from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.contracts import newest_version
from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.models import TickedLine
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.deploying import PRODUCTION, live, saved
from tests.outcomes.pages import text_of
from tests.outcomes.posting import Agent

OBSERVES = document(pre(ALWAYS, rule_id="no-rm"), mode="observe")


@pytest.fixture
def version(project):
    made, _ = save_version(project, document=OBSERVES, by=CONSOLE)
    return live(made)


@pytest.fixture
def agent(project):
    return Agent(builders.bearing(builders.a_key(project)[0]))


def would_deny(version, number, *, agent="bot", tool="shell", rule="no-rm", start=0):
    """SDK events for calls that ran although an observe-mode rule would have denied them."""
    return [
        builders.an_event(
            action,
            f"{agent}-{tool}-{start + n}",
            agent_id=agent,
            tool_name=tool,
            decision_source="yaml_precondition" if action == "call_would_block" else None,
            decision_name=rule if action == "call_would_block" else None,
            mode="observe" if action == "call_would_block" else "enforce",
            policy_version=version.revision_hash,
            timestamp=f"2026-11-18T06:00:{start + n:02}.00000{at}+00:00",
        )
        for n in range(number)
        for at, action in enumerate(("call_would_block", "call_executed"))
    ]


def page(project, query=""):
    return reverse("outcomes:would_deny", args=[project.slug, "d"]) + query


def tick(client, project, version, *, agent="bot", tool="shell", rule="no-rm", **more):
    sent = {"environment": PRODUCTION, "version": version.number, "rule": rule, "tool": tool}
    address = reverse("outcomes:tick", args=[project.slug, "d"])
    return client.post(address, sent | {"agent": agent} | more)


def test_would_be_denials_are_counted_by_rule_tool_and_agent_with_samples(
    project, version, agent, client_as
):
    agent.post_events(
        *would_deny(version, 3),
        *would_deny(version, 1, tool="fetch"),
        *would_deny(version, 2, agent="other"),
        *would_deny(saved(project, "another"), 1, agent="elsewhere"),
        builders.an_event("call_executed", "ran", policy_version=version.revision_hash),
    )
    viewed = client_as(Role.VIEWER).get(page(project))
    text = text_of(viewed)
    assert "d v1 would deny 6 calls in production. 3 of 3 to review." in text
    assert "Observe mode: these calls ran." in text
    assert "elsewhere" not in text
    assert "/calls/bot-shell-2/" in viewed.text
    assert "/calls/bot-shell-0/" in viewed.text
    assert "Mark reviewed" not in text


def test_a_reviewed_row_records_who_and_when_and_counts_calls_since(
    project, version, agent, client_as
):
    editor = client_as(Role.EDITOR)
    agent.post_events(*would_deny(version, 3), *would_deny(version, 1, tool="fetch"))
    tick(editor, project, version)
    text = text_of(editor.get(page(project)))
    assert "1 of 2 to review." in text
    assert "Undo" in text
    agent.post_events(*would_deny(version, 2, start=10))
    text = text_of(editor.get(page(project)))
    assert "2 since" in text
    assert "2 of 2 to review." in text
    tick(editor, project, version)
    tick(editor, project, version, tool="fetch")
    assert "All reviewed." in text_of(editor.get(page(project)))
    tick(editor, project, version, undo="1")
    assert "1 of 2 to review." in text_of(editor.get(page(project)))
    rows = AuditEntry.objects.filter(subject="d v1", action__startswith="observed")
    assert [each.details["calls"] for each in rows.order_by("number")] == [3, 5, 1, 5]


def test_a_call_that_two_rules_would_deny_is_in_both_rows(project, version, agent, client_as):
    first, executed = would_deny(version, 1)
    second = first | {"decision_name": "no-shell", "reason": "another"}
    agent.post_events(first, second, executed)
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "would deny 1 call in production. 2 of 2 to review." in text


def test_a_bounded_count_is_labeled_as_such(project, version, agent, client_as, monkeypatch):
    monkeypatch.setattr("outcomes.contract_pages.queries.observed.COUNTED", 2)
    agent.post_events(*would_deny(version, 3))
    text = text_of(client_as(Role.VIEWER).get(page(project)))
    assert "would deny 3 calls" in text
    assert "of the newest 2 of 3 calls" in text


def test_an_environment_without_the_contract_falls_back_to_one_with_it(project, version, client_as):
    builders.a_key(project, env="elsewhere")
    shown = client_as(Role.VIEWER).get(page(project, "?environment=elsewhere"))
    assert shown.context["place"] == "production"


def test_a_member_who_cannot_deploy_cannot_mark_rows_reviewed(project, version, agent, client_as):
    agent.post_events(*would_deny(version, 1))
    assert tick(client_as(Role.OPERATOR), project, version).status_code == 403


@pytest.mark.parametrize("rule", ["nothing", "a\0b", ""])
def test_an_unknown_row_cannot_be_marked_reviewed(project, version, agent, client_as, rule):
    agent.post_events(*would_deny(version, 1))
    tick(client_as(Role.EDITOR), project, version, rule=rule)
    assert not TickedLine.objects.exists()


@pytest.mark.parametrize(
    "query", ["?environment=nowhere", "?version=9", "?version=x", "?environment=%00"]
)
def test_an_unknown_version_is_404(project, version, client_as, query):
    assert client_as(Role.VIEWER).get(page(project, query)).status_code == 404


def test_a_contract_without_denials_or_deployments_has_an_empty_state(project, client_as):
    viewer = client_as(Role.VIEWER)
    made, _ = save_version(project, document=OBSERVES, by=CONSOLE)
    assert "isn't deployed" in text_of(viewer.get(page(project)))
    live(made)
    assert "would deny no calls in production" in text_of(viewer.get(page(project)))


def test_enforcing_changes_only_the_mode_and_continues_to_the_deployment(
    project, version, client_as
):
    editor = client_as(Role.EDITOR)
    query = "?version=1&environment=production"
    assert "Enforce…" in text_of(editor.get(page(project)))
    address = reverse("governance:enforce", args=[project.slug, "d"]) + query
    assert "Enforce d v1?" in text_of(editor.get(address))
    done = editor.post(address)
    made = newest_version(version.bundle)
    assert made is not None
    assert bytes(made.document).decode() == OBSERVES.replace("mode: observe", "mode: enforce")
    assert made.message == "Enforce what v1 observed"
    assert "Deploy d v2 to production?" in text_of(editor.get(done["Location"]))
    assert "is not in observe mode by default" in text_of(
        editor.get(address.replace("version=1", "version=2"))
    )


def test_a_version_saved_in_the_meantime_is_not_overwritten(project, version, client_as):
    saved(project, "newer")
    address = reverse("governance:enforce", args=[project.slug, "d"]) + "?version=1"
    answer = client_as(Role.EDITOR).post(address)
    assert "in the meantime" in text_of(answer)
    assert newest_version(version.bundle) == saved(project, "newer")


@pytest.mark.parametrize("counted", [2, 2_000])
def test_tools_and_agents_count_each_call_once(
    project, version, agent, client_as, monkeypatch, counted
):
    monkeypatch.setattr("outcomes.contract_pages.queries.observed.COUNTED", counted)
    agent.post_events(
        *would_deny(version, 3),
        *would_deny(version, 3, rule="another-rule"),  # for the same calls
        *would_deny(version, 2, agent="other", tool="fetch"),
    )
    shown = client_as(Role.VIEWER).get(page(project))
    assert shown.context["calls"] == 5
    assert shown.context["by_tool"] == [("shell", 3), ("fetch", 2)]
    assert shown.context["by_agent"] == [("bot", 3), ("other", 2)]
    text = text_of(shown)
    assert ("By rule of the newest 2 calls" in text) == (counted == 2)
    assert ("tools and agents over all 5" in text) == (counted == 2)
    assert ("of the newest 2 of 5 calls" in text) == (counted == 2)


def test_the_api_returns_the_same_counts(project, version, agent):
    agent.post_events(*would_deny(version, 3))
    manager = Agent(builders.bearing(builders.a_key(project, "manage")[0]))
    path = "contracts/d/would-deny"
    answer = manager.get(path, env=PRODUCTION)
    assert (answer["version"], answer["calls"]) == (1, 3)
    (line,) = answer["lines"]
    assert (line["rule"], line["samples"]) == ("no-rm", [f"bot-shell-{n}" for n in (2, 1, 0)])
    assert line["ticked"] is None
    sent: dict[str, Any] = {"env": PRODUCTION, "rule": "no-rm", "tool": "shell", "agent": "bot"}
    response = manager.client.post(f"/v1/{path}/ticks", sent, content_type="application/json")
    assert response.json() == {"ticked": True}
    assert manager.get(path, env=PRODUCTION)["lines"][0]["ticked"]["calls"] == 3
    sent |= {"ticked": False}
    manager.client.post(f"/v1/{path}/ticks", sent, content_type="application/json")
    assert manager.get(path, env=PRODUCTION)["lines"][0]["ticked"] is None
    assert manager.client.get(f"/v1/{path}?env=nowhere").status_code == 404
    assert manager.client.get(f"/v1/{path}").status_code == 422


def test_calls_and_contracts_of_another_project_are_not_visible(project, version, agent):
    agent.post_events(*would_deny(version, 1))
    stranger = builders.signed_in(builders.a_member(builders.a_project(), Role.ADMIN).user)
    assert stranger.get(page(project)).status_code == 404
