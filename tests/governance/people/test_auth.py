"""Access resolved from an `Authorization` header."""

from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.test import RequestFactory
from django.utils import timezone

from governance.core.actor import ActorKind
from governance.core.errors import Forbidden, Unauthenticated
from governance.models import ApiKey
from governance.people import auth
from governance.people.auth import KeyAuth, resolve_key
from governance.people.auth import keys as auth_keys
from tests import builders


def ask(auth_class, key, **headers):
    return auth_class(
        RequestFactory(headers={"Authorization": f"Bearer {key}", **headers}).get("/v1/events")
    )


def test_a_key_grants_access_to_its_project_and_environment(project):
    key, row = builders.a_key(project, "agent", env="dev_eu", agent="billing-*", dialect="old")
    access = resolve_key(f"Bearer {key}")
    assert access is not None
    assert (access.project_slug, access.environment) == (project.slug, "dev_eu")
    assert access.environment_id == row.environment_id
    assert access.scopes == {"agent", "ingest"}
    assert access.dialect == "old"
    assert (access.actor.kind, access.actor.id) == (ActorKind.KEY, row.pk)


def test_an_unknown_key_grants_no_access(project):
    assert resolve_key("Bearer edk_production_" + "a" * 40) is None


def test_an_expired_or_revoked_key_grants_no_access(project):
    now = timezone.now()
    expired, _ = builders.a_key(project, expires_at=now - timedelta(seconds=1))
    revoked, _ = builders.a_key(project, revoked_at=now)
    assert resolve_key(f"Bearer {expired}") is None
    assert resolve_key(f"Bearer {revoked}") is None


def test_a_key_is_looked_up_at_most_once_a_second(project, django_assert_num_queries, monkeypatch):
    key, _ = builders.a_key(project)
    clock = [100.0]
    monkeypatch.setattr(auth_keys, "_monotonic", lambda: clock[0])
    resolve_key(f"Bearer {key}")
    clock[0] += 0.9
    with django_assert_num_queries(0):
        assert resolve_key(f"Bearer {key}")
    clock[0] += 0.2
    with django_assert_num_queries(1):
        assert resolve_key(f"Bearer {key}")


def test_a_revoked_key_is_rejected_within_a_second(project, monkeypatch):
    key, row = builders.a_key(project)
    clock = [100.0]
    monkeypatch.setattr(auth_keys, "_monotonic", lambda: clock[0])
    assert resolve_key(f"Bearer {key}")
    ApiKey.objects.filter(pk=row.pk).update(revoked_at=timezone.now())
    clock[0] += 1.0
    assert resolve_key(f"Bearer {key}") is None


def test_a_key_revoked_while_its_use_is_recorded_stays_revoked(project, monkeypatch):
    key, row = builders.a_key(project)
    clock = [100.0]

    def wait_for_others(*_: object) -> None:
        clock[0] += 5
        ApiKey.objects.filter(pk=row.pk).update(revoked_at=timezone.now())

    monkeypatch.setattr(auth_keys, "_monotonic", lambda: clock[0])
    monkeypatch.setattr(auth_keys, "_note_use", wait_for_others)
    assert resolve_key(f"Bearer {key}")
    assert resolve_key(f"Bearer {key}") is None


def test_the_key_cache_is_bounded(project, monkeypatch):
    monkeypatch.setattr(auth_keys, "CACHE_ENTRIES", 3)
    for _ in range(10):
        key, _ = builders.a_key(project)
        resolve_key(f"Bearer {key}")
    assert len(auth_keys._cache) <= 3


def test_the_last_use_is_recorded_once_a_minute(project):
    key, row = builders.a_key(project)
    resolve_key(f"Bearer {key}")
    row.refresh_from_db()
    first = row.last_used_at
    assert first is not None
    auth.forget_keys()
    resolve_key(f"Bearer {key}")
    row.refresh_from_db()
    assert row.last_used_at == first


def test_a_key_works_if_its_last_use_cannot_be_recorded(project, monkeypatch):
    key, _ = builders.a_key(project)

    def refuse(*args, **kwargs):
        raise DatabaseError("attempt to write a readonly database")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuse)
    assert resolve_key(f"Bearer {key}")


def test_a_request_without_a_key_is_unauthorized(project):
    with pytest.raises(Unauthenticated):
        KeyAuth()(RequestFactory().get("/v1/events"))


def test_a_key_requires_one_of_the_scopes(project):
    key, _ = builders.a_key(project, "read")
    assert ask(KeyAuth("agent", "read"), key)
    assert ask(KeyAuth(), key)
    with pytest.raises(Forbidden, match="ingest"):
        ask(KeyAuth("ingest"), key)


def test_a_key_is_rejected_for_an_agent_outside_its_glob(project):
    key, _ = builders.a_key(project, "agent", agent="billing-*")
    header = "X-Edictum-Agent-Id"
    assert ask(KeyAuth("agent"), key, **{header: "billing-bot"})
    assert ask(KeyAuth("agent"), key)
    with pytest.raises(Forbidden, match="research-bot"):
        ask(KeyAuth("agent"), key, **{header: "research-bot"})
