"""What all jobs have in common: claimed by one process, heard of while they run, ended once.

Their lease is measured by the database's clock: those of hosts differ.
"""

import os
from datetime import timedelta
from typing import Any, Final, TypeVar

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from outcomes.core.clock import database_time
from outcomes.models.jobs import WAITING, Job

ANYWAY: Final = Q()
LOST_AFTER: Final = timedelta(seconds=30)
TRIES: Final = 3
ALL: Final = 2**31  # of those that wait
ENDED_UNDER_IT: Final = (
    f"The process that ran it ended {TRIES} times before it was done. "
    "Choose a shorter period, or see the worker's log."
)

J = TypeVar("J", bound=Job)


def take_up_lost(jobs: QuerySet[J]) -> int:
    """Let those whose process has died wait again; how many wait now."""
    if not jobs.filter(WAITING).exists():
        return 0  # asked every few seconds, all day: nothing is to be written then
    now = database_time()
    lost = jobs.filter(status=Job.Status.RUNNING, heard_at__lt=now - LOST_AFTER).order_by()
    if lost.exists():
        with transaction.atomic():
            # Whose process stopped in the midst of writing is left to the database to end: who
            # asks has one thread, and everybody's calls wait for it.
            unlocked = lost.select_for_update(skip_locked=True).values_list("pk", "tries")
            found = list(unlocked)
            given_up = [number for number, tries in found if tries >= TRIES]
            jobs.filter(pk__in=given_up).update(
                status=Job.Status.FAILED, finished_at=now, error=ENDED_UNDER_IT
            )
            again = [number for number, tries in found if tries < TRIES]
            jobs.filter(pk__in=again).update(status=Job.Status.QUEUED)
    return jobs.filter(status=Job.Status.QUEUED).count()


def claimed(jobs: QuerySet[J]) -> J | None:
    """The one that has waited longest, now this process's."""
    waiting = jobs.filter(status=Job.Status.QUEUED).order_by("id")
    while (number := waiting.values_list("pk", flat=True).first()) is not None:
        now = database_time()
        taken = jobs.filter(pk=number, status=Job.Status.QUEUED).update(
            status=Job.Status.RUNNING, started_at=now, heard_at=now, tries=F("tries") + 1
        )
        found = jobs.filter(pk=number, started_at=now).first() if taken else None
        if found is not None:
            return found
    return None


def note(job: Job, **figures: Any) -> bool:
    """The figures so far; False when nobody wants to know more of this process."""
    return bool(held(job).update(heard_at=database_time(), **figures))


def end(job: Job, status: Job.Status, *, error: str = "", only: Q = ANYWAY) -> bool:
    return bool(
        held(job).filter(only).update(status=status, finished_at=timezone.now(), error=error)
    )


def put_back(job: Job) -> None:
    """Its process was asked to stop, so this is no try that failed."""
    held(job).update(status=Job.Status.QUEUED, tries=F("tries") - 1)


def try_again(job: Job, error: str) -> None:
    """Something that may pass ended it: it waits again, unless it was tried often enough."""
    if job.tries >= TRIES:
        end(job, Job.Status.FAILED, error=error[:500])
    else:
        held(job).update(status=Job.Status.QUEUED)


def held(job: J) -> QuerySet[J]:
    """The row, as long as it is this process's: one that stalled and was taken for dead has lost
    it, to another that began at another moment."""
    rows: QuerySet[J] = type(job)._default_manager.all()
    return rows.filter(pk=job.pk, status=Job.Status.RUNNING, started_at=job.started_at)


def processor_seconds() -> float:
    """Of this process, and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
