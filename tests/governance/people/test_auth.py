"""From an `Authorization` header to what it opens."""

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


def test_a_key_opens_its_project_and_environment(project):
    key, row = builders.a_key(project, "agent", env="dev_eu", agent="billing-*", dialect="old")
    access = resolve_key(f"Bearer {key}")
    assert access is not None
    assert (access.project_slug, access.environment) == (project.slug, "dev_eu")
    assert access.environment_id == row.environment_id
    assert access.scopes == {"agent", "ingest"}
    assert access.dialect == "old"
    assert (access.actor.kind, access.actor.id) == (ActorKind.KEY, row.pk)


def test_an_unknown_key_opens_nothing(project):
    assert resolve_key("Bearer edk_production_" + "a" * 40) is None


def test_a_key_that_has_expired_or_was_revoked_opens_nothing(project):
    now = timezone.now()
    expired, _ = builders.a_key(project, expires_at=now - timedelta(seconds=1))
    revoked, _ = builders.a_key(project, revoked_at=now)
    assert resolve_key(f"Bearer {expired}") is None
    assert resolve_key(f"Bearer {revoked}") is None


def test_a_key_asks_the_database_once_a_second(project, django_assert_num_queries, monkeypatch):
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


def test_a_revoked_key_is_refused_a_second_later(project, monkeypatch):
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


def test_the_key_cache_stays_within_its_bound(project, monkeypatch):
    monkeypatch.setattr(auth_keys, "CACHE_ENTRIES", 3)
    for _ in range(10):
        key, _ = builders.a_key(project)
        resolve_key(f"Bearer {key}")
    assert len(auth_keys._cache) <= 3


def test_the_last_use_is_noted_once_a_minute(project):
    key, row = builders.a_key(project)
    resolve_key(f"Bearer {key}")
    row.refresh_from_db()
    first = row.last_used_at
    assert first is not None
    auth.forget_keys()
    resolve_key(f"Bearer {key}")
    row.refresh_from_db()
    assert row.last_used_at == first


def test_a_last_use_that_cannot_be_noted_refuses_nobody(project, monkeypatch):
    key, _ = builders.a_key(project)

    def refuse(*args, **kwargs):
        raise DatabaseError("attempt to write a readonly database")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", refuse)
    assert resolve_key(f"Bearer {key}")


def test_without_a_key_the_answer_is_unauthorised(project):
    with pytest.raises(Unauthenticated):
        KeyAuth()(RequestFactory().get("/v1/events"))


def test_a_key_needs_one_of_the_scopes(project):
    key, _ = builders.a_key(project, "read")
    assert ask(KeyAuth("agent", "read"), key)
    assert ask(KeyAuth(), key)
    with pytest.raises(Forbidden, match="ingest"):
        ask(KeyAuth("ingest"), key)


def test_a_key_for_other_agents_is_refused_by_the_header(project):
    key, _ = builders.a_key(project, "agent", agent="billing-*")
    header = "X-Edictum-Agent-Id"
    assert ask(KeyAuth("agent"), key, **{header: "billing-bot"})
    assert ask(KeyAuth("agent"), key)
    with pytest.raises(Forbidden, match="research-bot"):
        ask(KeyAuth("agent"), key, **{header: "research-bot"})
