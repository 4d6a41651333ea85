"""Lifecycle of a job: claimed by one process, kept alive by heartbeats, ended once.

The row is authoritative: a message contains only its id and may arrive late, twice or never. Leases
use database time, because the clocks of hosts differ.
"""

import os
import time
from datetime import timedelta
from typing import Any, Final, TypeVar

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from outcomes.core.clock import database_time
from outcomes.database import bulk
from outcomes.jobs.domain import kind_of
from outcomes.models import JobTotal
from outcomes.models.jobs import WAITING, Job

ANYWAY: Final = Q()
LOST_AFTER: Final = timedelta(seconds=30)
TRIES: Final = 3
TURN: Final = 5.0  # seconds that a job of the bulk queue runs before it yields to others
SWEPT: Final = 100  # jobs of a kind, oldest first
ENDED_UNDER_IT: Final = (
    f"The process that ran it ended {TRIES} times before it was done. "
    "Choose a shorter period, or see the worker's log."
)

TOO_LONG: Final = "It ran for longer than an hour. Choose a shorter period."

J = TypeVar("J", bound=Job)


class Turn:
    """Time slice of a job, after which it yields to waiting jobs."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + TURN

    def is_over(self) -> bool:
        return time.monotonic() >= self._ends


def requeue_lost(jobs: QuerySet[J]) -> None:
    """Requeue jobs whose process has died, or fail them after too many tries."""
    if not jobs.filter(WAITING).exists():
        return  # called every few seconds, so it writes nothing here
    now = database_time()
    lost = jobs.filter(status=Job.Status.RUNNING, heard_at__lt=now - LOST_AFTER).order_by()
    if lost.exists():
        with transaction.atomic():
            # Skip rows whose process stopped in the middle of a write: the database will end that
            # transaction. The caller has one thread, and all agents' calls would wait for it.
            unlocked = lost.select_for_update(skip_locked=True).values_list("pk", "tries")
            expired = list(unlocked)
            given_up = [number for number, tries in expired if tries >= TRIES]
            jobs.filter(pk__in=given_up).update(
                status=Job.Status.FAILED, finished_at=now, error=ENDED_UNDER_IT
            )
            if given_up:
                _add_to_totals(jobs.model, Job.Status.FAILED, jobs=len(given_up), seconds=0.0)
            again = [number for number, tries in expired if tries < TRIES]
            jobs.filter(pk__in=again).update(status=Job.Status.QUEUED)


def waiting(jobs: QuerySet[J]) -> list[int]:
    """Ids of queued jobs, oldest first."""
    queued = jobs.filter(status=Job.Status.QUEUED).order_by("id")
    return list(queued.values_list("pk", flat=True)[:SWEPT])


def claimed(jobs: QuerySet[J], number: int) -> J | None:
    """The job, claimed by this process, or None if it is no longer queued."""
    now = database_time()
    won = jobs.filter(pk=number, status=Job.Status.QUEUED).update(
        status=Job.Status.RUNNING, started_at=now, heard_at=now, tries=F("tries") + 1
    )
    return jobs.filter(pk=number, started_at=now).first() if won else None


def note(job: Job, **figures: Any) -> bool:
    """Store progress. False if the job was cancelled or belongs to another worker."""
    return bool(held(job).update(heard_at=database_time(), **figures))


def end(job: Job, status: Job.Status, *, error: str = "", only: Q = ANYWAY) -> bool:
    now = timezone.now()
    ended = held(job).filter(only).update(status=status, finished_at=now, error=error)
    if ended and job.started_at is not None:
        seconds = (database_time() - job.started_at).total_seconds()
        _add_to_totals(type(job), status, jobs=1, seconds=max(seconds, 0.0))
    return bool(ended)


def _add_to_totals(kind: type[Job], status: Job.Status, *, jobs: int, seconds: float) -> None:
    row = (kind_of(kind), status.value, jobs, seconds)
    bulk.add(JobTotal, ("kind", "status"), ("jobs", "seconds"), [row])


def put_back(job: Job) -> None:
    """Requeue a job without counting a try: its process is stopping, or its turn is over."""
    held(job).update(status=Job.Status.QUEUED, tries=F("tries") - 1)


def try_again(job: Job, error: str) -> None:
    """Requeue a job after a transient error, or fail it after too many tries."""
    if job.tries >= TRIES:
        end(job, Job.Status.FAILED, error=error[:500])
    else:
        held(job).update(status=Job.Status.QUEUED)


def held(job: J) -> QuerySet[J]:
    """The job's row, if this process still owns it. A stalled process presumed dead has lost it to
    one that started at another time."""
    rows: QuerySet[J] = type(job)._default_manager.all()
    return rows.filter(pk=job.pk, status=Job.Status.RUNNING, started_at=job.started_at)


def processor_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
