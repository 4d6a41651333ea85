"""Signing keys in use that this installation's secret key can't decrypt."""

from governance.models import SigningKey
from governance.signing import SealBroken, opened


def unopened_keys() -> list[str]:
    """Slugs of projects whose signing key can't be decrypted."""
    rows = SigningKey.objects.filter(retired_at=None).select_related("project")
    return [key.project.slug for key in rows.order_by("project__slug") if not _opens(key)]


def _opens(key: SigningKey) -> bool:
    try:
        opened(key)
    except SealBroken:
        return False
    return True
