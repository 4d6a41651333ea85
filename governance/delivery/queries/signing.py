"""The keys that sign what agents are served."""

from governance.models import Project, SigningKey


def signing_key_in_use(project: Project) -> SigningKey | None:
    return SigningKey.objects.filter(project=project, retired_at=None).first()


def retired_signing_keys(project: Project, limit: int = 20) -> list[SigningKey]:
    """The latest retired first."""
    rows = SigningKey.objects.filter(project=project).exclude(retired_at=None)
    return list(rows.order_by("-retired_at", "-id")[:limit])
