"""Key rotation with an overlap, and key expiry."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.core.actor import Actor, ActorKind
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.models import ApiKey, AuditEntry, Finding
from governance.people.auth import access_of_member, forget_keys, resolve_key
from governance.people.commands.key_findings import note_expiring_keys
from governance.people.commands.key_rotation import end_previous_value, require_expiry, rotate_key
from governance.people.commands.keys import make_key, revoke_key
from tests import builders


@pytest.fixture
def admin(project) -> Actor:
    return access_of_member(builders.a_member(project, Role.ADMIN)).actor


@pytest.fixture
def made(project, admin) -> tuple[str, ApiKey]:
    return make_key(project, name="billing", env="production", scopes=["agent"], by=admin)


def is_valid(text: str) -> bool:
    forget_keys()
    return resolve_key(f"Bearer {text}") is not None


def later(key: ApiKey, **by: float) -> None:
    """Simulate this much time passing for the key."""
    passed = timedelta(**by)
    row = ApiKey.objects.get(pk=key.pk)
    for name in ("expires_at", "previous_until", "created_at", "rotated_at"):
        if getattr(row, name) is not None:
            ApiKey.objects.filter(pk=key.pk).update(**{name: getattr(row, name) - passed})


def test_both_values_are_valid_during_the_overlap(made, admin):
    old, key = made
    new, row = rotate_key(key, by=admin, overlap_hours=24)
    assert row.pk == key.pk
    assert is_valid(old)
    assert is_valid(new)
    later(key, hours=25)
    assert not is_valid(old)
    assert is_valid(new)


def test_without_overlap_the_old_value_ends_immediately(made, admin):
    old, key = made
    new, _ = rotate_key(key, by=admin, overlap_hours=0)
    assert not is_valid(old)
    assert is_valid(new)


def test_a_second_rotation_ends_the_oldest_value(made, admin):
    first, key = made
    second, _ = rotate_key(key, by=admin)
    third, _ = rotate_key(key, by=admin)
    assert [is_valid(each) for each in (first, second, third)] == [False, True, True]


def test_the_old_value_can_be_ended_early(made, admin):
    old, key = made
    new, _ = rotate_key(key, by=admin)
    end_previous_value(key, by=admin)
    end_previous_value(key, by=admin)
    assert not is_valid(old)
    assert is_valid(new)
    actions = AuditEntry.objects.filter(action__contains="old value").count()
    assert actions == 1


def test_the_last_use_of_each_value_is_recorded(made, admin):
    old, key = made
    new, _ = rotate_key(key, by=admin)
    forget_keys()
    resolve_key(f"Bearer {old}", "192.0.2.7")
    row = ApiKey.objects.get(pk=key.pk)
    assert row.previous_used_at is not None
    assert row.last_used_from == "192.0.2.7"
    assert is_valid(new)


def test_a_revoked_key_has_no_valid_value(made, admin):
    old, key = made
    new, _ = rotate_key(key, by=admin)
    revoke_key(ApiKey.objects.get(pk=key.pk), by=admin)
    assert not is_valid(old)
    assert not is_valid(new)


def test_a_revoked_key_cannot_be_rotated(made, admin):
    _, key = made
    revoke_key(key, by=admin)
    with pytest.raises(Conflict):
        rotate_key(key, by=admin)


def test_a_short_lived_key_does_not_always_open_an_expiry_alert(project, admin):
    soon = timezone.now() + timedelta(days=3)
    text, _ = make_key(
        project, name="ci", env="production", scopes=["agent"], by=admin, expires=soon
    )
    assert is_valid(text)
    note_expiring_keys()
    assert not Finding.objects.exists()


def test_a_manage_key_cannot_rotate_a_manage_key(project, admin):
    _, key = make_key(project, name="ci", env="production", scopes=["manage"], by=admin)
    by_key = Actor(ActorKind.KEY, key.pk, "ci", Role.ADMIN, person_id=admin.person_id)
    with pytest.raises(Forbidden):
        rotate_key(key, by=by_key)
    with pytest.raises(Forbidden):
        rotate_key(key, by=Actor(ActorKind.PERSON, 0, "viewer@example.test", Role.VIEWER))


@pytest.mark.parametrize("hours", [-1, 721])
def test_an_overlap_is_at_most_thirty_days(made, admin, hours):
    with pytest.raises(InvalidInput):
        rotate_key(made[1], by=admin, overlap_hours=hours)


def test_a_rotated_key_belongs_to_the_person_who_rotated_it(project, made):
    other = builders.a_member(project, Role.ADMIN)
    _, row = rotate_key(made[1], by=access_of_member(other).actor)
    assert row.maker_id == other.user_id


def test_a_rotated_key_gets_a_new_full_lifetime(project, admin):
    expires = timezone.now() + timedelta(days=30)
    _, key = make_key(
        project, name="a", env="production", scopes=["agent"], by=admin, expires=expires
    )
    later(key, days=20)
    _, row = rotate_key(ApiKey.objects.get(pk=key.pk), by=admin)
    assert row.expires_at is not None
    assert abs(row.expires_at - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)


def test_required_expiry_shortens_existing_keys_and_limits_new_ones(project, made, admin):
    _, endless = made
    assert require_expiry(project, max_days=90, by=admin) == 1
    endless.refresh_from_db()
    assert endless.expires_at is not None
    longer = timezone.now() + timedelta(days=91)
    with pytest.raises(InvalidInput, match="at most 90 days"):
        make_key(project, name="b", env="production", scopes=["agent"], by=admin, expires=longer)
    _, key = make_key(project, name="b", env="production", scopes=["agent"], by=admin)
    assert key.expires_at is not None
    assert key.expires_at < timezone.now() + timedelta(days=90, seconds=1)


def test_an_expiry_alert_opens_for_a_key_in_use_and_is_resolved_by_rotation(project, admin):
    soon = timezone.now() + timedelta(days=10)
    text, key = make_key(
        project, name="billing", env="production", scopes=["agent"], by=admin, expires=soon
    )
    later(key, days=8)
    note_expiring_keys()
    assert not Finding.objects.exists()  # the key is not in use
    assert is_valid(text)
    note_expiring_keys()
    finding = Finding.objects.get()
    assert finding.title.startswith("Key `billing` expires on ")
    assert finding.link.endswith(f"/keys/{key.pk}/rotate/")
    rotate_key(ApiKey.objects.get(pk=key.pk), by=admin)
    assert Finding.objects.get().resolved_at is not None
