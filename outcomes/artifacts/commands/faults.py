"""Store faults: the artifact store cannot be read or written at the moment.

They are no evidence about a batch, so no batch is set aside because of one. It is retried with
growing pauses as long as the fault lasts, and batches that need no store are processed meanwhile.
"""

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from governance.alerts.queries import projects_with_findings
from governance.findings import Details, FindingKey, sync_findings
from governance.people.queries.projects import projects
from outcomes.artifacts.commands.contents import RemovedMeanwhile
from outcomes.core.artifact_store import NotHere, fault_words
from outcomes.health.commands import store_fault
from outcomes.ingest.commands.back_pressure import resolve_if_room
from outcomes.models import Batch
from outcomes.models.inbox import MISSING, STORE

PAUSE: Final = timedelta(seconds=1)  # doubled with each retry
LONGEST_PAUSE: Final = timedelta(seconds=30)
MOST_DOUBLED: Final = 5
MOST_TRIES: Final = 1_000  # highest count stored
FINDINGS: Final = {STORE: "artifact_store_away", MISSING: "artifact_missing"}
SUBJECT: Final = "artifact store"
_ADVICE: Final = {
    STORE: "Uploads get 503, and batches with large outputs are retried until the store is back."
    " Nothing is lost.",
    MISSING: "Batches that refer to it are retried; no verdict changes. Check that"
    " EDICTUM_SITE_ARTIFACTS is the same on all hosts, or upload the same content again.",
}
_TITLES: Final = {
    STORE: "Artifact store is unavailable",
    MISSING: "An artifact is missing in the store",
}
LOOKED_AT: Final = 10_000  # batches


def fault_of(error: Exception) -> str:
    """Kind of store fault, or empty if the batch is at fault."""
    if isinstance(error, NotHere):
        return MISSING
    return STORE if isinstance(error, OSError | RemovedMeanwhile) else ""


def note_fault(batch_id: int, fault: str, error: Exception) -> None:
    with transaction.atomic():
        batch = Batch.objects.select_for_update().filter(pk=batch_id).first()
        if batch is None:
            return
        batch.tries = min(batch.tries + 1, MOST_TRIES) if batch.fault else 1
        batch.fault, batch.error = fault, fault_words(error)
        batch.next_try_at = timezone.now() + _pause_after(batch.tries)
        batch.save(update_fields=["tries", "fault", "error", "next_try_at"])
        if fault == STORE:  # one batch probes for all of them
            others = Batch.objects.filter(fault=STORE, set_aside_at=None)
            others.filter(next_try_at__lt=batch.next_try_at).update(next_try_at=batch.next_try_at)


def let_all_try_again() -> None:
    """Retry all waiting batches now that the store works again, together with new ones."""
    waiting = Batch.objects.filter(fault=STORE, set_aside_at=None, next_try_at__isnull=False)
    waiting.update(next_try_at=None)


def find_faults() -> None:
    """Open an alert in each project with waiting batches, and resolve outdated ones."""
    seen = _seen()
    if why := store_fault():
        _add_store_fault(seen, why)
    kinds = list(FINDINGS.values())
    open_in = {project for kind in kinds for project in projects_with_findings(kind)}
    for project in open_in | seen.keys():
        sync_findings(project, kinds, seen.get(project, {}))
    resolve_if_room()


def _seen() -> dict[int, dict[FindingKey, Details]]:
    waiting = Batch.objects.filter(set_aside_at=None, next_try_at__isnull=False).exclude(fault="")
    rows = waiting.order_by("next_try_at").values_list("project", "project__slug", "fault", "error")
    seen: dict[int, dict[FindingKey, Details]] = {}
    for project, slug, fault, error in rows[:LOOKED_AT]:
        of_project = seen.setdefault(project, {})
        if (place := (FINDINGS[fault], SUBJECT)) not in of_project:
            of_project[place] = _details(fault, error, slug)
    return seen


def _add_store_fault(seen: dict[int, dict[FindingKey, Details]], why: str) -> None:
    """Add an alert in every project: uploads fail even if no batch is waiting."""
    for project in projects():
        seen.setdefault(project.pk, {}).setdefault(
            (FINDINGS[STORE], SUBJECT), _details(STORE, why, project.slug)
        )


def _details(fault: str, why: str, slug: str) -> Details:
    link = reverse("outcomes:set_aside", args=[slug])
    return Details(title=_TITLES[fault], why=f"{why} {_ADVICE[fault]}", severity="error", link=link)


def _pause_after(tries: int) -> timedelta:
    doubled = min(tries - 1, MOST_DOUBLED)
    return min(PAUSE * (1 << doubled), LONGEST_PAUSE)
