"""The one way into *needs attention*, for whatever notices something; and the way out of it."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from governance.models import Finding

REFRESHED_EVERY = timedelta(minutes=1)  # what is noticed all the time must not write all the time


def found(
    project_id: int, kind: str, subject: str, *, why: str, link: str = "", environment: str = ""
) -> None:
    """Open a finding, or refresh the open one of this kind and subject."""
    subject = _storable(subject, 400)
    told = {
        "why": _storable(why, 4_000),
        "link": _storable(link, 2_000),
        "environment": _storable(environment, 128),
    }
    now = timezone.now()
    present = _open(project_id, kind, subject)
    if present is None:
        with transaction.atomic():
            # Of several who notice the same at once, the first one opens it.
            Finding.objects.bulk_create(
                [
                    Finding(
                        project_id=project_id,
                        kind=kind,
                        subject=subject,
                        since=now,
                        last_at=now,
                        **told,
                    )
                ],
                ignore_conflicts=True,
            )
    elif present.last_at <= now - REFRESHED_EVERY or any(
        getattr(present, name) != value for name, value in told.items()
    ):
        with transaction.atomic():
            Finding.objects.filter(pk=present.pk).update(last_at=now, **told)


def resolve(project_id: int, kind: str, subject: str) -> bool:
    """Close it, if it is open. Noticed again, it is another finding."""
    present = _open(project_id, kind, _storable(subject, 400))
    if present is None:
        return False
    with transaction.atomic():
        rows = Finding.objects.filter(pk=present.pk, resolved_at=None)
        return rows.update(resolved_at=timezone.now()) > 0


def _open(project_id: int, kind: str, subject: str) -> Finding | None:
    return Finding.objects.filter(
        project=project_id, kind=kind, subject=subject, resolved_at=None
    ).first()


def _storable(text: str, length: int) -> str:
    # Subjects come from agents too, and no database keeps a NUL or half a character.
    whole = text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    return whole[:length]
