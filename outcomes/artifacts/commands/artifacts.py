"""Storing uploaded artifacts, and removing those that no call refers to."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE, Actor
from governance.people.auth import Access
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import project_numbered
from outcomes.artifacts.commands.orphans import remove_orphans
from outcomes.artifacts.domain.secrets_in_pieces import SecretInContent, without_secrets
from outcomes.core import artifact_store
from outcomes.database import may_remove_artifacts
from outcomes.models import Artifact, Batch, Call
from outcomes.record.wire import BodyRefused

UNREFERENCED_FOR = timedelta(hours=24)
AT_ONCE = 100


def store_artifact(content: Iterable[bytes], *, media_type: str, access: Access) -> Artifact:
    """Store an upload under its SHA-256. A repeat extends its retention."""
    if access.masking is not None:
        content = without_secrets(content, access.masking)
    try:
        stored = artifact_store.store(access.project_id, content)
    except SecretInContent as error:
        detail = f"This project masks secrets before storing, and the content holds one: {error}."
        advice = "Mask it in the agent, or store the artifact elsewhere."
        raise BodyRefused(422, "secret_in_artifact", f"{detail} {advice}") from None
    with transaction.atomic():
        artifact = _row_of(stored, media_type, access)
        if artifact_store.stored_bytes(access.project_id, stored.sha256) is None:
            raise BodyRefused(503, "unavailable", "The same content was being removed. Try again.")
    return artifact


def _row_of(stored: artifact_store.Stored, media_type: str, access: Access) -> Artifact:
    """Row of stored content, locked: from now on the content is not removed."""
    artifact, _ = Artifact.objects.update_or_create(
        project_id=access.project_id,
        sha256=stored.sha256,
        defaults={"created_at": timezone.now(), "removed_at": None},
        create_defaults={
            "created_at": timezone.now(),
            "size_bytes": stored.size_bytes,
            "media_type": media_type[:128],
        },
    )
    return artifact


def note_fetch(artifact: Artifact) -> None:
    """Count a fetch by an agent's key, of all or part of the content, in one statement."""
    Artifact.objects.filter(pk=artifact.pk).update(
        fetches=F("fetches") + 1, fetched_at=timezone.now()
    )


@transaction.atomic
def note_download(artifact: Artifact, *, by: Actor) -> None:
    """Audit that a person opened the unmasked bytes of an artifact."""
    refuse_unless(by, Action.OPEN_VALUE)
    record(by, "artifact opened", artifact.sha256, project=artifact.project)


def remove_unreferenced_artifacts() -> int:
    """Remove artifacts that no call refers to a day after upload, and content that was never
    committed. Returns the number of artifacts removed."""
    artifact_store.remove_drafts(older_than=UNREFERENCED_FOR)
    remove_orphans(hour=timezone.now().hour, older_than=UNREFERENCED_FOR)
    by_project: dict[int, list[int]] = defaultdict(list)
    for project, pk in _unreferenced().values_list("project", "pk")[:10_000]:
        by_project[project].append(pk)
    return sum(
        _remove(project, pks[start : start + AT_ONCE])
        for project, pks in sorted(by_project.items())
        for start in range(0, len(pks), AT_ONCE)
    )


@transaction.atomic
def _remove(project: int, pks: list[int]) -> int:
    if not may_remove_artifacts():
        return 0  # the next run removes them
    # Queried again under the lock: a call may have started to refer to one, or be about to.
    rows = _unreferenced().select_for_update(skip_locked=True)
    gone = list(rows.filter(pk__in=pks).order_by("pk"))
    if not gone:
        return 0
    for artifact in gone:
        artifact_store.remove(project, artifact.sha256)
    Artifact.objects.filter(pk__in=[artifact.pk for artifact in gone]).delete()
    size = sum(artifact.size_bytes for artifact in gone)
    details: dict[str, Detail] = {"artifacts": len(gone), "bytes": size}
    subject = f"{len(gone):,} that no call refers to"
    record(
        CONSOLE,
        "unreferenced artifacts removed",
        subject,
        project=project_numbered(project),
        details=details,
    )
    return len(gone)


def _oldest_that_waits() -> datetime:
    """Time when the oldest waiting batch was accepted, or now if none is waiting."""
    waiting = Batch.objects.filter(set_aside_at=None).order_by("id")
    return waiting.values_list("received_at", flat=True).first() or timezone.now()


def _unreferenced() -> QuerySet[Artifact]:
    before = _oldest_that_waits() - UNREFERENCED_FOR
    referring = Call.objects.filter(artifact=OuterRef("pk"))
    return Artifact.objects.filter(~Exists(referring), created_at__lt=before)
