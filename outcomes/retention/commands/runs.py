"""Retention runs: one bulk job per project at a time, executed step by step.

Each step is one transaction that removes some rows and records its progress in the job's row. A
process can be killed at any point: the next one continues after the last step. A cancelled run ends
after its current step.
"""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Conflict, NotFound
from governance.models import Environment, Project
from governance.people.policies import Action, refuse_unless
from outcomes.database import IS_SERVER
from outcomes.holds.queries import holds_now
from outcomes.jobs import commands as jobs
from outcomes.models import RetentionRun
from outcomes.models.jobs import WAITING
from outcomes.retention.commands import calls, payloads, rest
from outcomes.retention.commands.archive import (
    ArchiveUnavailable,
    archive_due,
    removable_before,
)
from outcomes.retention.commands.steps import Cursor, Place, Removed, Step
from outcomes.retention.domain import Kind, cutoff
from outcomes.retention.queries.rules import days_of, environments_of
from outcomes.retention.queries.runs import EVERY

TRIES: Final = 5  # attempts per step if another writer holds the lock
LONGEST_PAUSE: Final = 0.5  # seconds
ARCHIVED: Final = frozenset({Kind.PAYLOADS, Kind.CALLS, Kind.ARTIFACTS})  # before removal
Status = RetentionRun.Status
_runs: Final = RetentionRun.objects.all

logger = logging.getLogger(__name__)

Work = Callable[[Place, Cursor | None], Step]

# In this order: payloads are removed before their calls, and calls before their rollups.
_OF_ENVIRONMENT: Final[tuple[tuple[str, Kind, Work], ...]] = (
    ("payloads", Kind.PAYLOADS, payloads.remove_payloads),
    ("sessions", Kind.CALLS, calls.remove_sessions),
    ("calls", Kind.CALLS, calls.remove_lone_calls),
    ("notes", Kind.CALLS, calls.remove_notes),
    ("rollups", Kind.ROLLUPS, rest.remove_rollups),
    ("rejected", Kind.REJECTED, rest.remove_rejected),
    ("approvals", Kind.APPROVALS, rest.remove_ended_approvals),
)
_OF_PROJECT: Final[tuple[tuple[str, Kind, Work], ...]] = (
    ("artifacts", Kind.ARTIFACTS, rest.remove_artifacts),
    ("audit", Kind.AUDIT, rest.remove_audit),
)


class RunLost(Exception):
    """Cancelled, or another process has claimed the job."""


@dataclass(frozen=True, slots=True)
class Stage:
    key: str  # of the environment and the work
    kind: Kind
    work: Work
    environment: Environment | None


@transaction.atomic
def start_run(project: Project, *, by: Actor) -> RetentionRun:
    refuse_unless(by, Action.MANAGE_RETENTION)
    if _runs().filter(WAITING, project=project).exists():
        raise Conflict("A run is in progress. Wait for it, or cancel it.")
    run = _runs().create(project=project, author=str(by)[:320], created_at=timezone.now())
    if by != CONSOLE:
        record(by, "retention run started", f"run {run.pk}", project=project)
    return run


@transaction.atomic
def cancel_run(project: Project, number: int, *, by: Actor) -> RetentionRun:
    """Cancel a run. It ends after its current step; what was removed stays removed."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    run = _runs().select_for_update().filter(project=project, pk=number).first()
    if run is None:
        raise NotFound("Run not found.")
    if not run.has_ended:
        run.status, run.finished_at = Status.CANCELLED, timezone.now()
        run.save(update_fields=["status", "finished_at"])
        record(by, "retention run cancelled", f"run {run.pk}", project=project)
    return run


def start_due_runs() -> list[int]:
    """Start a scheduled run for each project whose last run began at least a day ago."""
    started: list[int] = []
    for project in Project.objects.all():
        newest = _runs().filter(project=project).order_by("-id").first()
        if newest is None or (newest.has_ended and newest.created_at <= timezone.now() - EVERY):
            started.append(start_run(project, by=CONSOLE).pk)
    return started


def waiting_runs() -> list[int]:
    jobs.requeue_lost(_runs())
    return jobs.waiting(_runs())


def run_retention(number: int) -> bool:
    """Run retention for one turn; False if the turn ended before the work did."""
    run = jobs.claimed(_runs(), number)
    if run is None:
        return True
    try:
        if not _Run(run).go_on():
            jobs.put_back(run)
            return False
    except RunLost:
        return True
    except (KeyboardInterrupt, SystemExit, SoftTimeLimitExceeded):
        jobs.put_back(run)
        raise
    except ArchiveUnavailable as error:
        jobs.end(run, Status.FAILED, error=str(error)[:500])
    except (OperationalError, InterfaceError, OSError) as error:
        logger.exception("Retention run %d failed and will be retried", number)
        jobs.try_again(run, f"{type(error).__name__}: {error}")
    except Exception as error:
        logger.exception("Retention run %d failed", number)
        jobs.end(run, Status.FAILED, error=f"{type(error).__name__}: {error}"[:500])
    return True


class _Run:
    def __init__(self, run: RetentionRun) -> None:
        self._run = run
        self._project = run.project
        self._began = run.created_at
        self._holds = holds_now(self._project.pk)
        self._result: dict[str, Any] = {"removed": {}, "done": [], "cursor": None} | run.result

    def go_on(self) -> bool:
        turn = jobs.Turn()
        for stage in self._stages():
            if stage.key in self._result["done"]:
                continue
            self._archive(stage)
            while not self._step(stage):
                if turn.is_over():
                    return False
        self._end()
        return True

    def _stages(self) -> Iterator[Stage]:
        for environment in environments_of(self._project.pk):
            for name, kind, work in _OF_ENVIRONMENT:
                yield Stage(f"{environment.pk}/{name}", kind, work, environment)
        for name, kind, work in _OF_PROJECT:
            yield Stage(name, kind, work, None)

    def _archive(self, stage: Stage) -> None:
        before = self._before(stage)
        if before is not None and stage.kind in ARCHIVED:
            archive_due(self._project, before, heartbeat=self._be_heard)

    def _before(self, stage: Stage) -> datetime | None:
        place = stage.environment.pk if stage.environment else None
        before = cutoff(days_of(self._project.pk, place)[stage.kind], self._began)
        if before is None or stage.kind not in ARCHIVED:
            return before
        return removable_before(self._project, before)

    def _step(self, stage: Stage) -> bool:
        """Run one step of the stage; True if the stage is done."""
        before = self._before(stage)
        began = time.monotonic()
        if before is None:
            return self._note_step(stage, Step(Removed(), None))
        for tried in range(1, TRIES + 1):
            try:
                with transaction.atomic():
                    # Reload holds: one may have been placed since the last step.
                    self._holds.renew()
                    place = Place(self._project, stage.environment, before, self._holds)
                    is_done = self._note_step(stage, stage.work(place, self._result["cursor"]))
                break
            except OperationalError:
                if tried == TRIES:
                    raise
                time.sleep(0.1 * tried)
                self._result = {"removed": {}, "done": [], "cursor": None} | self._stored()
        self._pause(time.monotonic() - began)
        return is_done

    def _note_step(self, stage: Stage, step: Step) -> bool:
        removed = self._result["removed"]
        rows, size = removed.get(stage.kind, (0, 0))
        if step.removed.rows:
            removed[stage.kind] = [rows + step.removed.rows, size + step.removed.bytes]
        self._result["cursor"] = step.next
        if step.next is None:
            self._result["done"].append(stage.key)
        passed = sum(rows for rows, _ in removed.values())
        if not jobs.note(self._run, stage=stage.kind, passed=passed, result=self._result, tries=1):
            raise RunLost
        return step.next is None

    def _stored(self) -> dict[str, Any]:
        result: dict[str, Any] = _runs().get(pk=self._run.pk).result
        return result

    def _be_heard(self) -> None:
        if not jobs.note(self._run, stage="archive"):
            raise RunLost

    def _pause(self, took: float) -> None:
        """Let other writers in between steps on SQLite; a server allows several at once."""
        if not IS_SERVER:
            time.sleep(min(took, LONGEST_PAUSE))

    @transaction.atomic
    def _end(self) -> None:
        removed = self._result["removed"]
        if not jobs.end(self._run, Status.DONE):
            raise RunLost
        if removed:
            details: dict[str, Detail] = {kind: rows for kind, (rows, _) in removed.items()}
            subject = f"run {self._run.pk}"
            record(CONSOLE, "retention run ended", subject, project=self._project, details=details)
