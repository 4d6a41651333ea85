"""Rotate an API key: give it a new value, with the old one valid for a while."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import Actor, shown
from governance.core.errors import Conflict, InvalidInput
from governance.models import ApiKey, Project
from governance.people.commands.key_findings import note_expiring_keys_of, note_keys_of
from governance.people.commands.keys import expiry_within, subject_of
from governance.people.domain import Scope, digest_of, hint_of, new_key
from governance.people.policies import Action, refuse_key_with, refuse_unless

LONGEST_OVERLAP: Final = 30 * 24  # hours
USUAL_OVERLAP: Final = 24


def rotate_key(key: ApiKey, *, by: Actor, overlap_hours: int = USUAL_OVERLAP) -> tuple[str, ApiKey]:
    """Give a key a new value. Returns the value, which is not stored, and the row.

    The old value stays valid for the overlap; one from an earlier rotation ends now. The key is
    tied to the account of the person who rotated it, as a new key is to its creator's.
    """
    refuse_key_with(by, frozenset(map(Scope, key.scopes)))
    if not 0 <= overlap_hours <= LONGEST_OVERLAP:
        message = f"Enter 0 to {LONGEST_OVERLAP} hours."
        raise InvalidInput.at("overlap_hours", message)
    text, now = new_key(key.environment.name), timezone.now()
    with transaction.atomic():
        row = _locked(key)
        maker = row.maker
        row.previous_digest, row.previous_used_at = row.digest, row.last_used_at
        row.previous_until = now + timedelta(hours=overlap_hours)
        row.digest, row.hint, row.last_used_at = digest_of(text), hint_of(text), None
        row.expires_at = _renewed(row, now)
        row.created_by, row.maker_id = shown(str(by))[:254], by.person_id
        row.rotated_at = now
        row.save()
        details: dict[str, Detail] = {"overlap_hours": overlap_hours, "old": key.hint}
        record(by, "key rotated", subject_of(row), project=row.project, details=details)
        if maker is not None:
            note_keys_of(maker, row.project)
        note_expiring_keys_of(row.project)
    return text, row


@transaction.atomic
def end_previous_value(key: ApiKey, *, by: Actor) -> ApiKey:
    """End the old value of a rotated key now; ending it again changes nothing."""
    refuse_unless(by, Action.MANAGE_KEYS)
    row, now = _locked(key), timezone.now()
    if row.previous_until is not None and row.previous_until > now:
        row.previous_until = now
        row.save(update_fields=["previous_until"])
        record(by, "key's old value ended", subject_of(row), project=row.project)
    return row


@transaction.atomic
def require_expiry(project: Project, *, max_days: int | None, by: Actor) -> int:
    """Set the maximum lifetime of keys, and shorten longer ones. Returns how many it shortened."""
    refuse_unless(by, Action.MANAGE_KEYS)
    if max_days is not None and not 1 <= max_days <= 3_650:
        raise InvalidInput.at("max_days", "Enter 1 to 3650 days.")
    if project.max_key_days == max_days:
        return 0
    project.max_key_days = max_days
    project.save(update_fields=["max_key_days"])
    shortened = _shorten(project, max_days) if max_days is not None else 0
    details = {"max_days": max_days, "keys_shortened": shortened}
    record(by, "key expiry required", project.slug, project=project, details=details)
    note_expiring_keys_of(project)
    return shortened


def _shorten(project: Project, max_days: int) -> int:
    end = timezone.now() + timedelta(days=max_days)
    keys = ApiKey.objects.filter(project=project, revoked_at=None)
    endless = keys.filter(expires_at=None).update(expires_at=end)
    return endless + keys.filter(expires_at__gt=end).update(expires_at=end)


def _renewed(key: ApiKey, now: datetime) -> datetime | None:
    """New expiry of a rotated key: its lifetime starts again, within the project's maximum."""
    since = key.rotated_at or key.created_at
    renewed = now + (key.expires_at - since) if key.expires_at is not None else None
    return expiry_within(key.project, renewed, now)


def _locked(key: ApiKey) -> ApiKey:
    rows = ApiKey.objects.select_related("project", "environment", "maker")
    row = rows.select_for_update(of=("self",)).get(pk=key.pk)
    if row.revoked_at is not None or (row.expires_at and row.expires_at <= timezone.now()):
        raise Conflict("This key is no longer active. Create a new one.", code="ended")
    return row
