"""What all jobs have in common: claimed by one process, heard of while they run, ended once."""

import os
from datetime import timedelta
from typing import Any, Final, TypeVar

from django.db.models import F, QuerySet
from django.utils import timezone

from outcomes.models.jobs import WAITING, Job

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
    now = timezone.now()
    lost = jobs.filter(status=Job.Status.RUNNING, heard_at__lt=now - LOST_AFTER).order_by()
    lost.filter(tries__gte=TRIES).update(
        status=Job.Status.FAILED, finished_at=now, error=ENDED_UNDER_IT
    )
    lost.update(status=Job.Status.QUEUED)
    return jobs.filter(status=Job.Status.QUEUED).count()


def claimed(jobs: QuerySet[J]) -> J | None:
    """The one that has waited longest, now this process's."""
    waiting = jobs.filter(status=Job.Status.QUEUED).order_by("id")
    while (number := waiting.values_list("pk", flat=True).first()) is not None:
        now = timezone.now()
        taken = jobs.filter(pk=number, status=Job.Status.QUEUED).update(
            status=Job.Status.RUNNING, started_at=now, heard_at=now, tries=F("tries") + 1
        )
        if taken:
            return jobs.get(pk=number)
    return None


def note(jobs: QuerySet[J], number: int, **figures: Any) -> bool:
    """The figures so far; False when nobody wants to know more."""
    running = jobs.filter(pk=number, status=Job.Status.RUNNING)
    return bool(running.update(heard_at=timezone.now(), **figures))


def end(jobs: QuerySet[J], number: int, status: Job.Status, *, error: str = "") -> bool:
    running = jobs.filter(pk=number, status=Job.Status.RUNNING)
    return bool(running.update(status=status, finished_at=timezone.now(), error=error))


def put_back(jobs: QuerySet[J], number: int) -> None:
    """Its process was asked to stop, so this is no try that failed."""
    jobs.filter(pk=number, status=Job.Status.RUNNING).update(
        status=Job.Status.QUEUED, tries=F("tries") - 1
    )


def processor_seconds() -> float:
    """Of this process, and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
