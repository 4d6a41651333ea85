"""Artifacts that are uploaded, and those that nothing refers to any more."""

from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from governance.auth import Access
from outcomes import artifact_store
from outcomes.models import Artifact, Call

UNREFERENCED_FOR = timedelta(hours=24)


def store_artifact(content: Iterable[bytes], *, media_type: str, access: Access) -> Artifact:
    """Keep what was uploaded; its name is the SHA-256 of it. A repeat prolongs its life."""
    stored = artifact_store.store(access.project_id, content)
    artifact, _ = Artifact.objects.update_or_create(
        project_id=access.project_id,
        sha256=stored.sha256,
        defaults={"created_at": timezone.now()},
        create_defaults={
            "created_at": timezone.now(),
            "size_bytes": stored.size_bytes,
            "media_type": media_type[:128],
        },
    )
    return artifact


def remove_unreferenced_artifacts() -> int:
    """Remove what no call refers to a day after its upload; how many went."""
    before = timezone.now() - UNREFERENCED_FOR
    referring = Call.objects.filter(artifact=OuterRef("pk"))
    old = Artifact.objects.filter(~Exists(referring), created_at__lt=before)
    removed = 0
    for pk in old.values_list("pk", flat=True)[:10_000]:
        with transaction.atomic():
            # Asked again under the lock: a call may have come to refer to it meanwhile.
            artifact = old.select_for_update().filter(pk=pk).first()
            if artifact is not None:
                artifact_store.remove(artifact.project_id, artifact.sha256)
                artifact.delete()
                removed += 1
    return removed
