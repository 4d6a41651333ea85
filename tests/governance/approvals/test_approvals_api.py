"""Approvals over HTTP, as every SDK version requests and polls them and as people decide them."""

import json

import pytest
from django.test import Client

from governance.approvals.commands import expire_approvals
from governance.core.roles import Role
from governance.models import Approval, AuditEntry
from tests import builders
from tests.governance.approvals.builders import REQUEST, an_approval, moved, ran_out

HEADER = "X-Edictum-Agent-Id"


def send(client: Client, path: str, body: object):
    return client.post(path, json.dumps(body), content_type="application/json")


def ask(client: Client, prefix: str = "/v1", **changed: object) -> str:
    answer = send(client, f"{prefix}/approvals", REQUEST | changed)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


@pytest.fixture
def agent(project) -> Client:
    return builders.bearing(builders.a_key(project)[0], **{HEADER: "billing-bot"})


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


@pytest.mark.parametrize(
    ("prefix", "fields"),
    [
        ("/api/v1", {"timeout_effect": "deny"}),  # up to 0.16
        ("/api/v1", {"timeout_action": "block"}),  # 0.17
        ("/v1", {"timeout_action": "block", "session_id": "s-1"}),  # from 0.18
        ("/v1", {"timeout_action": "deny"}),  # TypeScript up to 0.3.0
        ("/v1", {"timeout_action": "allow", "session_id": None}),
        ("/v1", {"unknown": 1}),
    ],
    ids=str,
)
def test_every_sdk_can_request_and_poll_under_its_prefix(agent, prefix, fields):
    body = {name: REQUEST[name] for name in ("agent_id", "tool_name", "tool_args", "message")}
    answer = send(agent, f"{prefix}/approvals", body | {"timeout": 60} | fields)
    assert answer.status_code == 201
    code = answer.json()["id"]
    assert code.isalnum()
    assert len(code) <= 128
    polled = agent.get(f"{prefix}/approvals/{code}").json()
    assert (polled["id"], polled["status"]) == (code, "pending")
    assert (polled["decided_by"], polled["decision_reason"], polled["reason"]) == (None,) * 3
    action = "allow" if "allow" in fields.values() else "block"
    assert Approval.objects.get().on_timeout == action


def test_a_request_without_a_timeout_expires_after_five_minutes_and_blocks(agent):
    answer = send(agent, "/v1/approvals", {"tool_name": "t"})
    assert answer.status_code == 201
    row = Approval.objects.get()
    assert (row.timeout_s, row.on_timeout, row.agent_id) == (300, "block", "billing-bot")


def test_a_repeated_create_returns_the_pending_approval(agent):
    code = ask(agent)
    again = send(agent, "/v1/approvals", REQUEST)
    assert (again.status_code, again.json()["id"]) == (200, code)


@pytest.mark.parametrize(("decision", "status"), [("approve", "approved"), ("reject", "denied")])
def test_an_agent_polls_the_decision_with_its_reason(agent, manager, decision, status):
    code = ask(agent)
    answer = send(
        manager, f"/v1/approvals/{code}/decision", {"decision": decision, "reason": "by phone"}
    )
    assert (answer.status_code, answer.json()["status"]) == (200, status)
    polled = agent.get(f"/v1/approvals/{code}").json()
    assert (polled["status"], polled["decision_reason"], polled["reason"]) == (
        status,
        "by phone",
        "by phone",
    )
    assert polled["decided_by"].startswith("key:")
    assert AuditEntry.objects.count() == 1


def test_a_late_decision_is_409_and_the_agent_reads_timeout(project, agent, manager):
    late = ran_out(project)
    answer = send(manager, f"/v1/approvals/{late.code}/decision", {"decision": "approve"})
    assert (answer.status_code, answer.json()["code"]) == (409, "expired")
    assert agent.get(f"/v1/approvals/{late.code}").json()["status"] == "timeout"
    again = send(manager, f"/v1/approvals/{late.code}/decision", {"decision": "approve"})
    assert (again.status_code, again.json()["code"]) == (409, "expired")


def test_a_second_decision_is_409(agent, manager):
    code = ask(agent)
    assert (
        send(manager, f"/v1/approvals/{code}/decision", {"decision": "reject"}).status_code == 200
    )
    again = send(manager, f"/v1/approvals/{code}/decision", {"decision": "approve"})
    assert (again.status_code, again.json()["code"]) == (409, "decided")


def test_an_operator_can_decide_in_a_browser_and_a_viewer_cannot(project, agent, client_as):
    code = ask(agent)
    path = f"/v1/approvals/{code}/decision?project={project.slug}"
    assert send(client_as(Role.VIEWER), path, {"decision": "approve"}).status_code == 403
    assert send(client_as(Role.OPERATOR), path, {"decision": "approve"}).status_code == 200


@pytest.mark.parametrize("body", [{}, {"decision": "maybe"}, {"decision": "approve", "why": "x"}])
def test_an_invalid_decision_is_422(agent, manager, body):
    answer = send(manager, f"/v1/approvals/{ask(agent)}/decision", body)
    assert answer.status_code == 422


@pytest.mark.parametrize("code", ["nothing", "%00", "a" * 300])
def test_an_unknown_approval_is_404(agent, manager, code):
    assert agent.get(f"/v1/approvals/{code}").status_code == 404
    answer = send(manager, f"/v1/approvals/{code}/decision", {"decision": "approve"})
    assert answer.status_code == 404


def test_an_agent_key_sees_only_requests_of_its_agent_and_environment(project, agent):
    code = ask(agent)
    others = [
        builders.bearing(builders.a_key(project, env="staging")[0]),
        builders.bearing(builders.a_key(project, agent="ops-*")[0]),
        builders.bearing(builders.a_key(project)[0], **{HEADER: "ops-runner"}),
        builders.bearing(builders.a_key(builders.a_project())[0]),
        builders.bearing(builders.a_key(builders.a_project(), "manage")[0]),
    ]
    for other in others:
        assert other.get(f"/v1/approvals/{code}").status_code == 404
    assert agent.get(f"/v1/approvals/{code}").status_code == 200


@pytest.mark.parametrize("other", ["ops-runner", "billing-bot-2"])
def test_a_bound_key_cannot_request_for_another_agent(project, other):
    bound = builders.bearing(builders.a_key(project, agent="billing-bot")[0])
    answer = send(bound, "/v1/approvals", REQUEST | {"agent_id": other})
    assert (answer.status_code, answer.json()["code"]) == (403, "agent")
    assert not Approval.objects.exists()


def test_an_agent_cannot_request_for_an_agent_other_than_its_header(agent):
    assert send(agent, "/v1/approvals", REQUEST | {"agent_id": "other"}).status_code == 403


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"tool_name": None}, "tool_name"),
        ({"tool_args": []}, "tool_args"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"timeout_action": "explode"}, "timeout_action"),
    ],
    ids=str,
)
def test_an_invalid_request_is_422_with_the_path_of_the_error(agent, changed, path):
    answer = send(agent, "/v1/approvals", REQUEST | changed)
    assert answer.status_code == 422
    assert [error["path"] for error in answer.json()["errors"]] == [path]


def test_malformed_json_is_422_or_400_and_never_a_crash(agent):
    for raw in (b'{"tool_name": "a\\ud800"}', b'{"tool_name": "a", "tool_args": {"x": NaN}}'):
        answer = agent.post("/v1/approvals", raw, content_type="application/json")
        assert answer.status_code == 422, raw
    deep = b'{"tool_name": "a", "tool_args": {"x": ' + b"[" * 200 + b"]" * 200 + b"}}"
    assert agent.post("/v1/approvals", deep, content_type="application/json").status_code == 422
    deeper = deep.replace(b"[" * 200, b"[" * 90_000).replace(b"]" * 200, b"]" * 90_000)
    assert agent.post("/v1/approvals", deeper, content_type="application/json").status_code == 400


def test_a_list_has_masked_arguments_and_a_poll_has_none(agent, manager):
    code = ask(agent)
    (listed,) = manager.get("/v1/approvals").json()["approvals"]
    assert listed["id"] == code
    assert listed["tool_name"] == "payments_charge"
    assert listed["arguments"] == {
        "account": '"A-2091"',
        "amount": "1240.0",
        "card_token": '"[masked]"',
    }
    assert "arguments" not in agent.get(f"/v1/approvals/{code}").json()
    assert "tok-4711" not in manager.get(f"/v1/approvals/{code}").text


def test_the_list_filters_by_status_agent_and_environment(project, manager):
    waits = an_approval(project)
    late = ran_out(project, agent_id="ops-runner")
    elsewhere = an_approval(project, env="staging")

    def listed(**query: str) -> list[str]:
        return [each["id"] for each in manager.get("/v1/approvals", query).json()["approvals"]]

    assert listed() == [elsewhere.code, late.code, waits.code]
    assert listed(status="pending") == [elsewhere.code, waits.code]
    assert listed(status="timeout") == [late.code]
    expire_approvals()
    assert listed(status="timeout") == [late.code]
    assert listed(status="approved") == []
    assert listed(agent_id="ops-runner") == [late.code]
    assert listed(env="staging") == [elsewhere.code]
    assert manager.get("/v1/approvals?state=x").status_code == 422


def test_the_list_is_paginated_newest_first(project, manager):
    made = [moved(an_approval(project), seconds=200 - n).code for n in range(5)]
    first = manager.get("/v1/approvals?limit=3").json()
    second = manager.get(f"/v1/approvals?limit=3&cursor={first['next']}").json()
    both = first["approvals"] + second["approvals"]
    assert [each["id"] for each in both] == made[::-1]
    assert second["next"] is None


def test_polling_a_pending_approval_takes_one_query(agent, django_assert_num_queries):
    code = ask(agent)
    with django_assert_num_queries(1):
        agent.get(f"/v1/approvals/{code}")
