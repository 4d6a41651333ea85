"""Commands on keys, and the routes that use them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from governance.core.actor import CONSOLE, person
from governance.core.errors import Forbidden, InvalidInput
from governance.core.roles import Role
from governance.models import ApiKey, AuditEntry, Environment
from governance.people.auth import access_of_member, resolve_key
from governance.people.commands.keys import keep_bootstrap_key, make_key, revoke_key
from tests import builders

ADMIN = person(0, "admin@example.test", Role.ADMIN)


def make(project, **changed):
    response: dict[str, Any] = {
        "name": "billing",
        "env": "production",
        "scopes": ["agent"],
        "by": changed.get("by") or access_of_member(builders.a_member(project, Role.ADMIN)).actor,
    }
    return make_key(project, **(response | changed))


def post(client: Client, path: str, body: object):
    return client.post(path, body, content_type="application/json")


@pytest.fixture
def manager(project) -> Client:
    return builders.bearing(builders.a_key(project, "manage")[0])


def test_only_the_digest_of_a_key_is_stored(project):
    text, key = make(project)
    row = ApiKey.objects.values().get(pk=key.pk)
    assert text.startswith("edk_production_")
    assert text not in repr(row)
    assert resolve_key(f"Bearer {text}")


def test_the_first_key_creates_its_environment(project):
    make(project, env="staging.eu_1")
    make(project, env="staging.eu_1")
    assert [each.name for each in Environment.objects.all()] == ["staging.eu_1"]


def test_creating_and_revoking_a_key_are_audited_without_the_key(project):
    text, key = make(project)
    revoke_key(key, by=ADMIN)
    revoke_key(key, by=ADMIN)
    entries = list(AuditEntry.objects.order_by("number"))
    assert [entry.action for entry in entries] == ["key created", "key revoked"]
    assert not any(text in repr(vars(entry)) for entry in entries)


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"name": " "}, "name"),
        ({"env": "-production"}, "env"),
        ({"env": ""}, "env"),
        ({"env": "production\n"}, "env"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["agent", "everything"]}, "scopes"),
        ({"agent": "x" * 129}, "agent"),
        ({"name": "a\0"}, "name"),
        ({"agent": "\ud800"}, "agent"),
        ({"dialect": "older"}, "dialect"),
        ({"expires": timezone.now() - timedelta(days=1)}, "expires"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_invalid_key_is_rejected_with_the_path_of_the_error(project, changed, path):
    with pytest.raises(InvalidInput) as refused:
        make(project, **changed)
    assert {problem.path for problem in refused.value.errors} == {path}
    assert not ApiKey.objects.exists()


def test_an_editor_cannot_create_a_key(project):
    with pytest.raises(Forbidden):
        make(project, by=person(0, "editor@example.test", Role.EDITOR))


def test_the_api_returns_a_new_key_once(project, manager):
    answer = post(
        manager,
        "/v1/keys",
        {"name": "bot", "env": "staging", "scopes": ["agent"], "agent": "bot-*", "dialect": "new"},
    )
    assert answer.status_code == 201
    made = answer.json()
    assert made["key"].startswith("edk_staging_")
    assert (made["env"], made["scopes"], made["agent"]) == ("staging", ["agent"], "bot-*")
    assert made["dialect"] == "new"
    listed = manager.get("/api/v1/keys").json()["keys"]
    assert listed[0]["name"] == "bot"
    assert not any("key" in each for each in listed)


def test_a_manage_key_cannot_create_a_manage_key(manager):
    answer = post(manager, "/v1/keys", {"name": "x", "env": "production", "scopes": ["manage"]})
    assert answer.status_code == 403
    assert answer.json()["code"] == "forbidden"


def test_a_read_key_can_list_but_not_create_keys(project):
    reader = builders.bearing(builders.a_key(project, "read")[0])
    assert reader.get("/v1/keys").status_code == 200
    answer = post(reader, "/v1/keys", {"name": "x", "env": "production", "scopes": ["ingest"]})
    assert (answer.status_code, answer.json()["code"]) == (403, "scope")


def test_a_revoked_key_has_its_revocation_time(project, manager):
    _, key = builders.a_key(project)
    answer = manager.delete(f"/v1/keys/{key.pk}")
    assert answer.status_code == 200
    again = manager.delete(f"/v1/keys/{key.pk}").json()
    assert again["revoked_at"] == answer.json()["revoked_at"] is not None


def test_a_key_of_another_project_is_404(manager):
    _, key = builders.a_key(builders.a_project())
    assert manager.delete(f"/v1/keys/{key.pk}").status_code == 404
    key.refresh_from_db()
    assert key.revoked_at is None


def test_keys_are_paginated_newest_first(project, manager):
    made = [builders.a_key(project)[1].pk for _ in range(4)]
    first = manager.get("/v1/keys?limit=3").json()
    second = manager.get(f"/v1/keys?limit=3&cursor={first['next']}").json()
    assert [key["id"] for key in first["keys"]] == made[:0:-1]
    assert second["keys"][0]["id"] == made[0]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"env": "production", "scopes": ["agent"]}, "name"),
        ({"name": "x", "env": "production", "scopes": ["root"]}, "scopes.0"),
        ({"name": "x", "env": "production", "scopes": ["agent"], "agnet": "bot-*"}, "agnet"),
        ({"name": "x", "env": "-", "scopes": ["agent"]}, "env"),
    ],
    ids=["missing", "unknown scope", "misspelt", "bad environment"],
)
def test_an_invalid_field_is_422_with_its_path(manager, body, path):
    answer = post(manager, "/v1/keys", body)
    assert answer.status_code == 422
    data = answer.json()
    assert set(data) == {"code", "detail", "errors"}
    assert [error["path"] for error in data["errors"]] == [path]


def test_the_bootstrap_key_has_every_scope_and_is_created_once(project):
    text = "edk_production_" + "Z" * 40
    assert keep_bootstrap_key(project, text) == ""
    assert keep_bootstrap_key(project, text) == ""
    access = resolve_key(f"Bearer {text}")
    assert access is not None
    assert access.scopes == {"agent", "ingest", "read", "manage"}
    assert "differs" in keep_bootstrap_key(project, "edk_production_" + "Y" * 40)
    assert ApiKey.objects.count() == 1


def test_an_invalid_bootstrap_key_is_rejected(project):
    with pytest.raises(InvalidInput, match="at least 32"):
        keep_bootstrap_key(project, "edk_production_short")


def test_the_console_can_create_a_key(project):
    text, key = make(project, by=CONSOLE)
    assert key.created_by == "console"
    assert resolve_key(f"Bearer {text}")
