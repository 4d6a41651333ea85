"""Runs and erasures of a project, and the time before which only rollups remain."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from outcomes.models import ArchivedDay, Erasure, RetentionMark, RetentionRun
from outcomes.models.jobs import WAITING

EVERY: Final = timedelta(days=1)
ERASURES_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class Runs:
    last: RetentionRun | None  # that has ended
    current: RetentionRun | None
    next_at: datetime  # at the earliest


def runs_of(project_id: int) -> Runs:
    rows = RetentionRun.objects.filter(project=project_id).order_by("-id")
    current = rows.filter(WAITING).first()
    last = rows.exclude(WAITING).first()
    newest = current or last
    next_at = newest.created_at + EVERY if newest else timezone.now()
    return Runs(last, current, max(next_at, timezone.now()))


def run_numbered(project_id: int, number: int) -> RetentionRun | None:
    return RetentionRun.objects.filter(project=project_id, pk=number).first()


def erasures_of(project_id: int) -> list[Erasure]:
    rows = Erasure.objects.filter(project=project_id).order_by("-id")
    return list(rows[:ERASURES_SHOWN])


def erasure_numbered(project_id: int, number: int) -> Erasure | None:
    return Erasure.objects.filter(project=project_id, pk=number).first()


def marks_of(project_id: int) -> list[RetentionMark]:
    """Marks of environments in which calls or payloads were removed."""
    rows = RetentionMark.objects.filter(environment__project=project_id)
    some = rows.exclude(calls_before=None, payloads_before=None)
    return list(some.select_related("environment").order_by("environment__name"))


def only_sums_before(project_id: int, environment: str) -> datetime | None:
    """Latest time before which calls were removed, in one environment or in any."""
    rows = RetentionMark.objects.filter(environment__project=project_id)
    rows = rows.filter(environment__name=environment) if environment else rows
    moments = [at for at in rows.values_list("calls_before", flat=True) if at is not None]
    return max(moments, default=None)


def archived_days(project_id: int) -> tuple[int, ArchivedDay | None]:
    rows = ArchivedDay.objects.filter(project=project_id).order_by("-day")
    newest = rows.first()
    return (rows.count() if newest else 0), newest
