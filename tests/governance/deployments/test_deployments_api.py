"""Deployments over HTTP: requirements, the plan, approval requests and rollback."""

from typing import Any

import pytest
from django.test import Client

from governance.core.roles import Role
from governance.deployments import requirements
from governance.models import AuditEntry, BundleVersion, Environment
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.deploying import PRODUCTION, a_failing_test, evidence


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


@pytest.fixture
def editor(client_as):
    return client_as(Role.EDITOR)


def send(client: Client, path: str, *, method: str = "post", **body: object):
    ask = getattr(client, method)
    return ask(f"/v1/{path}", body, content_type="application/json")


def save(client: Client, message: str = "no") -> int:
    answer = send(client, "contracts", yaml=document(pre(ALWAYS, message=message)))
    return int(answer.json()["version"])


def require(client: Client, **required: Any):
    return send(client, f"environments/{PRODUCTION}/requirements", method="put", **required)


def deploy(client: Client, version: int, **more: Any):
    return send(client, "contracts/d/deployments", version=version, env=PRODUCTION, **more)


def request_deployment(client: Client, version: int, **more: Any):
    return send(client, "contracts/d/deployment-requests", version=version, env=PRODUCTION, **more)


def decide(client: Client, number: int, decision: str, reason: str = ""):
    path = f"deployment-requests/{number}/decision"
    return send(client, path, decision=decision, reason=reason)


def test_requirements_of_an_environment_are_replaced_together_and_listed(manager):
    nothing = {"second_person": False, "max_newly_denied": None}
    both = {"second_person": True, "max_newly_denied": 5}
    listed = manager.get("/v1/environments").json()["environments"]
    assert listed == [{"name": PRODUCTION, "requirements": nothing}]
    assert require(manager, **both).json() == both
    assert manager.get("/v1/environments").json()["environments"][0]["requirements"] == both
    assert require(manager).json() == nothing


@pytest.mark.parametrize(
    "body", [{"max_newly_denied": -1}, {"second_person": "yes"}, {"max_newly_denied": 2**40}]
)
def test_invalid_requirements_are_422(manager, body):
    assert require(manager, **body).status_code == 422


def test_an_invalid_environment_name_is_422(manager):
    assert send(manager, "environments/a b/requirements", method="put").status_code == 422
    assert not Environment.objects.filter(name="a b").exists()


def test_a_change_that_requires_approval_is_requested_approved_and_deployed(manager, editor):
    version = save(manager)
    require(manager, second_person=True)
    refused = deploy(manager, version)
    assert (refused.status_code, refused.json()["code"]) == (409, "approval_required")
    first, again = (
        request_deployment(manager, version, message="Release 7"),
        request_deployment(manager, version),
    )
    assert (first.status_code, again.status_code) == (201, 200)
    number = first.json()["id"]
    assert first.json() == again.json() == editor.get(f"/v1/deployment-requests/{number}").json()
    assert first.json()["status"] == "pending"
    own = decide(manager, number, "approve")
    assert (own.status_code, own.json()["code"]) == (403, "second_person")
    approved = decide(editor, number, "approve").json()
    assert approved["status"] == "approved"
    (live,) = manager.get("/v1/contracts/d/deployments").json()["deployments"]
    assert (live["id"], live["live"]) == (approved["deployment"], True)
    assert live["author"].startswith("key:")
    assert live["approved_by"].startswith("person:")


def test_a_rejected_request_has_its_reason_and_filters_by_status(manager, editor):
    version = save(manager)
    require(manager, second_person=True)
    number = request_deployment(manager, version).json()["id"]
    assert decide(editor, number, "refuse").status_code == 422
    assert decide(editor, number, "refuse", "Not today.").json()["reason"] == "Not today."
    assert decide(editor, number, "approve").json()["code"] == "decided"
    body = manager.get(f"/v1/deployment-requests?status=refused&env={PRODUCTION}&name=d").json()
    assert [each["id"] for each in body["requests"]] == [number]
    assert manager.get("/v1/deployment-requests?status=pending").json()["requests"] == []


def test_pagination_returns_each_request_once(manager):
    require(manager, second_person=True)
    made = [request_deployment(manager, save(manager, f"no {n}")).json()["id"] for n in range(5)]
    seen, cursor = [], ""
    while cursor is not None:
        page = manager.get(f"/v1/deployment-requests?limit=2{cursor and f'&cursor={cursor}'}")
        seen += [each["id"] for each in page.json()["requests"]]
        cursor = page.json()["next"]
    assert seen == made[::-1]


def test_only_the_requester_can_withdraw_a_request(manager, editor):
    require(manager, second_person=True)
    number = request_deployment(manager, save(manager)).json()["id"]
    path = f"/v1/deployment-requests/{number}"
    assert editor.delete(path).status_code == 403
    assert manager.delete(path).json()["status"] == "withdrawn"


def test_requests_of_another_project_are_404(manager):
    require(manager, second_person=True)
    number = request_deployment(manager, save(manager)).json()["id"]
    stranger = builders.bearing(builders.a_key(builders.a_project(), "manage")[0])
    assert stranger.get(f"/v1/deployment-requests/{number}").status_code == 404
    assert decide(stranger, number, "approve").status_code == 404
    assert stranger.get(f"/v1/deployment-requests/{2**70}").status_code == 404


def test_the_plan_has_the_changes_and_what_blocks_the_deployment(manager, monkeypatch):
    deploy(manager, save(manager, "first"))
    version = save(manager, "second")
    a_failing_test(BundleVersion.objects.get(number=version))
    monkeypatch.setattr(requirements, "evidence_of", lambda *request_deployment: evidence(3))
    require(manager, second_person=True, max_newly_denied=1)
    plan = manager.get(f"/v1/contracts/d/deployment-plan?env={PRODUCTION}").json()
    assert (plan["version"], plan["live"]) == (version, 1)
    assert [each["code"] for each in plan["blocked"]] == ["tests_failing", "backtest_denies"]
    assert [each["overridable"] for each in plan["blocked"]] == [True, False]
    assert plan["backtest"]["newly_denied"] == 3
    (change,) = plan["changes"]
    assert (change["kind"], change["subject"]) == ("changed", "a")
    assert "first" in change["before"]
    assert "second" in change["after"]


def test_the_plan_of_the_live_version_is_empty(manager):
    version = save(manager)
    deploy(manager, version)
    path = f"/v1/contracts/d/deployment-plan?version={version}&env={PRODUCTION}"
    plan = manager.get(path).json()
    assert (plan["live"], plan["changes"], plan["blocked"]) == (version, [], [])
    assert manager.get("/v1/contracts/d/deployment-plan").status_code == 422
    assert manager.get("/v1/contracts/nothing/deployment-plan?env=a").status_code == 404


def test_failing_tests_are_overridden_with_a_reason(manager, editor):
    version = save(manager)
    a_failing_test(BundleVersion.objects.get(number=version))
    refused = deploy(manager, version)
    assert (refused.status_code, refused.json()["code"]) == (409, "tests_failing")
    assert refused.json()["errors"][0]["path"] == "tests_failing"
    assert deploy(editor, version, override="no").status_code == 403
    made = deploy(manager, version, override="The test is old.")
    assert (made.status_code, made.json()["override"]) == (201, "The test is old.")
    assert AuditEntry.objects.get(action="contract deployed").details["override"]


def test_a_rollback_deploys_the_previous_version(manager):
    first, second = save(manager, "first"), save(manager, "second")
    path = "contracts/d/rollbacks"
    assert send(manager, path, env=PRODUCTION).status_code == 404
    deploy(manager, first)
    assert send(manager, path, env=PRODUCTION).json()["code"] == "nothing_before"
    deploy(manager, second)
    back = send(manager, path, env=PRODUCTION)
    assert (back.status_code, back.json()["version"]) == (201, first)


def test_a_rollback_to_an_unapproved_version_is_denied_and_can_be_requested(manager):
    deploy(manager, save(manager, "first"))
    deploy(manager, save(manager, "second"))
    require(manager, second_person=True)
    refused = send(manager, "contracts/d/rollbacks", env=PRODUCTION)
    assert (refused.status_code, refused.json()["code"]) == (409, "approval_required")
    assert request_deployment(manager, 1, message="Roll back").status_code == 201
