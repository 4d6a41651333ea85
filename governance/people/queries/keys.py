"""Queries for API keys."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from governance.models import ApiKey, Member, Project, User


def _live() -> Q:
    """Active keys: not revoked, not expired, and created by the console or an active member."""
    not_expired = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    makers = Member.objects.filter(
        project=OuterRef("project"), user=OuterRef("maker"), user__is_active=True
    )
    return not_expired & Q(revoked_at=None) & (Q(maker=None) | Q(Exists(makers)))


def live_key(digest: bytes) -> ApiKey | None:
    """Active key whose value this is, or whose previous value this is during the overlap."""
    previous = Q(previous_digest=digest, previous_until__gt=timezone.now())
    rows = ApiKey.objects.select_related("project__masking", "environment")
    return rows.filter(_live(), Q(digest=digest) | previous).first()


def key_with(project_id: int, digest: bytes) -> ApiKey | None:
    """Active key of a project by its value, or by its previous value during the overlap."""
    key = live_key(digest)
    return key if key is not None and key.project_id == project_id else None


def live_among(key_ids: Iterable[int]) -> frozenset[int]:
    """Which of these keys are valid now."""
    rows = ApiKey.objects.filter(_live(), pk__in=list(key_ids))
    return frozenset(rows.values_list("pk", flat=True))


def live_keys(project: Project) -> list[ApiKey]:
    return list(_of(project).filter(_live()))


def live_keys_of(maker: User, project: Project) -> list[ApiKey]:
    return list(_of(project).filter(_live(), maker=maker))


def keys_expiring_before(project: Project, at: datetime, *, used_since: datetime) -> list[ApiKey]:
    """Active keys that expire before `at`, if either value was used after `used_since`."""
    in_use = Q(last_used_at__gt=used_since) | Q(previous_used_at__gt=used_since)
    rows = ApiKey.objects.select_related("project", "environment").filter(_live(), in_use)
    return list(rows.filter(project=project, expires_at__lt=at).order_by("id"))


def ended_keys(project: Project, limit: int = 20) -> list[ApiKey]:
    """Revoked and expired keys, newest first."""
    return list(_of(project).exclude(_live())[:limit])


def keys_before(
    project: Project, before: int | None, limit: int, *, only_ended: bool = False
) -> list[ApiKey]:
    """Page of all keys, or of revoked and expired ones, newest first."""
    rows = _of(project).order_by("-id")
    if only_ended:
        rows = rows.exclude(_live())
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def has_keys(project: Project) -> bool:
    """Whether the project ever had a key."""
    return ApiKey.objects.filter(project=project).exists()


def any_key_was_used(project: Project) -> bool:
    return ApiKey.objects.filter(project=project, last_used_at__isnull=False).exists()


def key_numbered(project: Project, key_id: int) -> ApiKey | None:
    return _of(project).filter(pk=key_id).first()


def _of(project: Project) -> QuerySet[ApiKey]:
    return ApiKey.objects.select_related("environment").filter(project=project)
