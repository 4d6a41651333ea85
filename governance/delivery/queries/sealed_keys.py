"""Signing keys in use that the secret key of this installation cannot open."""

from django.conf import settings

from governance.delivery.signatures import SealBroken, open_pair, owner_of
from governance.models import SigningKey


def unopened_keys() -> list[str]:
    """Slugs of their projects."""
    rows = SigningKey.objects.filter(retired_at=None).select_related("project")
    return [key.project.slug for key in rows.order_by("project__slug") if not _opens(key)]


def _opens(key: SigningKey) -> bool:
    owner = owner_of(key.project_id)
    try:
        open_pair(bytes(key.sealed), settings.SECRET_KEY, public=key.public_key, owner=owner)
    except SealBroken:
        return False
    return True
