"""Progress of the job that fills a demo project, and removal of the project's traffic."""

import time
from typing import Final

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone

from governance.core.errors import Conflict
from outcomes.core import artifact_store
from outcomes.core.clock import database_time
from outcomes.database import may_remove_artifacts
from outcomes.demo.queries.demo import LOST_AFTER
from outcomes.jobs import commands as jobs
from outcomes.models import (
    Artifact,
    ArtifactUse,
    Batch,
    Call,
    CallGroup,
    DemoRun,
    Event,
    GroupRollup,
    IndexedCall,
    Rollup,
    RollupChange,
    RollupMinute,
    Session,
)
from outcomes.models.jobs import WAITING
from outcomes.search.commands.indexing import remove_calls

AT_ONCE: Final = 2_000  # rows per transaction, so other projects can settle in between
INDEXED_AT_ONCE: Final = 500  # calls, with dozens of postings each
DIED: Final = "The demo process exited early. See the worker's log."
PATIENCE: Final = 20.0  # seconds to wait for pending batches to settle
_runs: Final = DemoRun.objects.all


def ask_for_demo(project_id: int) -> None:
    DemoRun.objects.create(project_id=project_id)


def waiting_demos() -> list[int]:
    """Ids of queued demos. Marks demos as failed if their worker died: agents cannot resume."""
    lost = _runs().filter(status=DemoRun.Status.RUNNING, heard_at__lt=database_time() - LOST_AFTER)
    lost.update(status=DemoRun.Status.FAILED, finished_at=timezone.now(), error=DIED)
    return jobs.waiting(_runs())


def claimed_demo(number: int) -> DemoRun | None:
    """Claim the demo for this process; None if it is no longer queued."""
    return jobs.claimed(_runs(), number)


def note_demo(run: DemoRun, *, passed: int, total: int, calls: int) -> bool:
    """Store the progress; False if the demo was cancelled or removed."""
    return jobs.note(run, passed=passed, total=total, calls=calls)


def end_demo(run: DemoRun, *, error: str = "") -> bool:
    """Mark the demo as ended; False if it was cancelled or removed."""
    status = DemoRun.Status.FAILED if error else DemoRun.Status.DONE
    return jobs.end(run, status, error=error[:500])


def cancel_demo(project_id: int) -> None:
    _runs().filter(WAITING, project=project_id).update(
        status=DemoRun.Status.CANCELLED, finished_at=timezone.now()
    )


def remove_traffic(project_id: int) -> dict[str, int]:
    """Delete a project's traffic in chunks, and its artifact files. Returns the counts."""
    with transaction.atomic():
        _refuse_during_backup()  # before anything is deleted
    _let_settle(project_id)
    _remove_index(project_id)
    return {
        "calls": _remove(Call.objects.filter(project=project_id)),
        "events": _remove(Event.objects.filter(project=project_id)),
        "sessions": _remove(Session.objects.filter(project=project_id)),
        "uses": _remove(ArtifactUse.objects.filter(project=project_id)),
        "artifacts": _remove_artifacts(project_id),
        "minutes": sum(
            _remove(each.objects.filter(environment__project=project_id))
            for each in (RollupChange, RollupMinute, Rollup, GroupRollup)
        ),
        "groups": _remove(CallGroup.objects.filter(project=project_id)),
    }


def _let_settle(project_id: int) -> None:
    """Wait for pending batches: settling one later would restore deleted rows."""
    waiting = Batch.objects.filter(project=project_id, set_aside_at=None)
    ends = time.monotonic() + PATIENCE
    while waiting.exists() and time.monotonic() < ends:
        time.sleep(0.1)


def _remove_index(project_id: int) -> None:
    indexed = IndexedCall.objects.filter(project=project_id).order_by("pk")
    while numbers := list(indexed.values_list("pk", flat=True)[:INDEXED_AT_ONCE]):
        with transaction.atomic():
            remove_calls(numbers)


def _remove(rows: QuerySet[Model]) -> int:
    number = 0
    while numbers := list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        # By range, not by list: SQLite limits the number of values in a statement.
        rows.filter(pk__gte=numbers[0], pk__lte=numbers[-1]).delete()
        number += len(numbers)
    return number


@transaction.atomic
def _remove_artifacts(project_id: int) -> int:
    _refuse_during_backup()
    rows = Artifact.objects.filter(project=project_id)
    for name in rows.values_list("sha256", flat=True):
        artifact_store.remove(project_id, name)
    return _remove(rows)


def _refuse_during_backup() -> None:
    if not may_remove_artifacts():
        raise Conflict("A backup is running. Delete the demo when it has ended.")
