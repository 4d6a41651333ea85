"""Assignments and signing keys over HTTP."""

import pytest
from django.test import Client

from governance.audit_log import verify
from governance.core.roles import Role
from governance.delivery import domain
from governance.delivery.queries.documents import assignment_rules
from governance.models import Assignment, AuditEntry, Environment
from tests import builders
from tests.governance.deploying import takes_two
from tests.governance.serving import deployed
from tests.governance.threads import in_threads


@pytest.fixture
def manager(project) -> Client:
    deployed(project, name="base")
    deployed(project, name="strict")
    return builders.bearing(builders.a_key(project, "manage")[0])


def put(client: Client, bundle: str = "base", **body: object):
    body = {"bundle_name": bundle, "env": "production"} | body
    return client.put("/v1/assignments", body, content_type="application/json")


def assigned(project, agent="bot", **tags):
    environment = builders.an_environment(project)
    rules = assignment_rules(project.pk, environment.pk)
    return domain.assigned(rules, agent, tags)


def test_a_rule_is_returned_as_saved(manager, project):
    answer = put(manager, agent_id="bo*", tags={"team": "a"}, priority=3)
    assert answer.status_code == 201
    body = answer.json()
    assert (
        body.items()
        >= {
            "bundle_name": "base",
            "env": "production",
            "agent_id": "bo*",
            "tags": {"team": "a"},
            "priority": 3,
            "ended_at": None,
        }.items()
    )
    assert manager.get("/v1/assignments").json() == {"assignments": [body], "next": None}
    assert assigned(project, team="a", tier="1") == "base"
    assert assigned(project) is None


def test_an_editor_cannot_change_assignments_if_deployments_require_approval(
    manager, project, client_as
):
    assignment = put(manager).json()
    takes_two(project)
    editor, address = client_as(Role.EDITOR), f"/v1/assignments/{assignment['id']}"
    for refused in (put(editor, "strict"), put(editor, agent_id="bot"), editor.delete(address)):
        assert refused.status_code == 403
        assert refused.json()["detail"].startswith("You need the admin role to ")
    assert assigned(project) == "base"
    assert put(editor, "strict", env="staging").status_code == 201
    assert put(manager, "strict").status_code == 201
    assert client_as(Role.ADMIN).delete(address).status_code == 200


def test_a_rule_applies_to_every_agent_by_default(manager, project):
    assert put(manager).json()["agent_id"] == "*"
    assert assigned(project, "anybody") == "base"


def test_repeating_a_rule_is_200_and_changes_nothing(manager, project):
    first = put(manager, tags={"a": "1", "b": "2"})
    again = put(manager, tags={"b": "2", "a": "1"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert AuditEntry.objects.filter(action="contract assigned").count() == 1


def test_a_changed_contract_or_priority_replaces_the_rule(manager, project):
    put(manager)
    put(manager, "base", agent_id="b*")
    assert put(manager, "strict").status_code == 201
    assert assigned(project) == "strict"
    put(manager, "strict", priority=-1)
    assert assigned(project) == "base"
    assert len(manager.get("/v1/assignments").json()["assignments"]) == 2
    assert Assignment.objects.exclude(ended_at=None).count() == 2
    assert verify(project) is None


def test_a_deleted_rule_no_longer_applies(manager, project):
    put(manager)
    rule = put(manager, "strict", agent_id="bot").json()
    assert assigned(project) == "strict"
    for _ in range(2):
        answer = manager.delete(f"/v1/assignments/{rule['id']}")
        assert answer.status_code == 200
        assert answer.json()["ended_at"]
    assert assigned(project) == "base"
    assert AuditEntry.objects.filter(action="assignment deleted").count() == 1


def test_rules_are_per_environment_and_the_first_one_creates_it(manager, project):
    assert put(manager, env="staging").status_code == 201
    assert Environment.objects.filter(project=project, name="staging").exists()
    assert assigned(project) is None
    assert len(manager.get("/v1/assignments?env=staging").json()["assignments"]) == 1
    assert manager.get("/v1/assignments?env=production").json()["assignments"] == []


def test_the_list_of_rules_is_paginated(manager):
    for number in range(3):
        put(manager, agent_id=f"bot-{number}")
    page = manager.get("/v1/assignments?limit=2").json()
    rest = manager.get(f"/v1/assignments?limit=2&cursor={page['next']}").json()
    listed = [each["agent_id"] for each in page["assignments"] + rest["assignments"]]
    assert listed == ["bot-2", "bot-1", "bot-0"]
    assert rest["next"] is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"bundle_name": "unknown"}, 404),
        ({"bundle_name": "\0"}, 404),
        ({"env": "no name"}, 422),
        ({"agent_id": ""}, 422),
        ({"agent_id": "x" * 129}, 422),
        ({"agent_id": "\0"}, 422),
        ({"tags": {"a": 1}}, 422),
        ({"tags": {"": "x"}}, 422),
        ({"tags": {"a": "x" * 257}}, 422),
        ({"tags": {f"t{n}": "x" for n in range(65)}}, 422),
        ({"tags": {"a": "\0"}}, 422),
        ({"priority": 10**20}, 422),
        ({"priority": 1.5}, 422),
        ({"tag": {"team": "a"}}, 422),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_invalid_rule_is_rejected(manager, body, status):
    assert put(manager, **body).status_code == status
    assert not Assignment.objects.exists()


def test_rules_of_another_project_are_404(manager):
    rule = put(manager).json()
    elsewhere = builders.bearing(builders.a_key(builders.a_project(), "manage")[0])
    assert elsewhere.get("/v1/assignments").json()["assignments"] == []
    assert elsewhere.delete(f"/v1/assignments/{rule['id']}").status_code == 404
    assert put(elsewhere).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_concurrent_identical_rules_create_one():
    project = builders.a_project()
    deployed(project, name="base")
    manager = builders.a_key(project, "manage")[0]
    answers = in_threads(4, lambda _: put(builders.bearing(manager), env="new").status_code)
    assert sorted(answers) == [200, 200, 200, 201]
    assert Assignment.objects.count() == 1


def test_the_signing_key_is_returned_and_rotated(manager, project):
    key = manager.get("/v1/signing-key").json()
    assert len(bytes.fromhex(key["public_key"])) == 32
    rotated = manager.post("/v1/signing-key/rotations")
    assert rotated.status_code == 201
    assert rotated.json() == manager.get("/v1/signing-key").json()
    assert rotated.json()["public_key"] != key["public_key"]
    (entry,) = AuditEntry.objects.filter(action="signing key rotated")
    assert entry.details["was"] == key["public_key"]


def test_a_project_without_signatures_has_no_signing_key(db):
    reader = builders.bearing(builders.a_key(builders.a_project(), "read")[0])
    assert reader.get("/v1/signing-key").status_code == 404
