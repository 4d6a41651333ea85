"""Backlog of acknowledged items that are not settled yet, and counts of jobs."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Count, Min, Q, Sum
from django.utils import timezone

from outcomes.jobs.domain import KINDS, kind_of
from outcomes.models import (
    Backtest,
    Batch,
    DemoRun,
    Erasure,
    JobTotal,
    RejudgingPart,
    RetentionRun,
    SearchIndex,
    SuggestionScan,
)
from outcomes.models.jobs import WAITING, Job

COUNTED: Final = 10_000  # batches
JOBS: Final[tuple[type[Job], ...]] = (
    Backtest,
    DemoRun,
    Erasure,
    RejudgingPart,
    RetentionRun,
    SearchIndex,
    SuggestionScan,
)


@dataclass(frozen=True, slots=True)
class Backlog:
    """Backlog of one project."""

    batches: int
    items: int
    seconds_behind: float  # age of the oldest waiting batch
    set_aside: int
    is_more: bool = False  # more than COUNTED batches exist


def backlog(project_id: int) -> Backlog:
    """Backlog of a project. Every page queries it, so only the oldest batches are counted."""
    batches = Batch.objects.filter(project=project_id).order_by("id")
    waiting = Q(set_aside_at=None)
    counts = batches.values("id", "items", "received_at", "set_aside_at")[:COUNTED].aggregate(
        all=Count("id"),
        batches=Count("id", filter=waiting),
        items=Sum("items", filter=waiting, default=0),
        oldest=Min("received_at", filter=waiting),
    )
    oldest = counts["oldest"]
    behind = max(0.0, (timezone.now() - oldest).total_seconds()) if oldest else 0.0
    return Backlog(
        counts["batches"],
        counts["items"],
        behind,
        counts["all"] - counts["batches"],
        is_more=counts["all"] == COUNTED,
    )


def newest_batch(project_id: int) -> int:
    """Id of the newest waiting batch, or 0."""
    waiting = Batch.objects.filter(project=project_id, set_aside_at=None)
    return waiting.order_by("-id").values_list("id", flat=True).first() or 0


def is_settled(project_id: int, up_to: int) -> bool:
    """Whether all batches up to this one are settled, except those set aside."""
    return not (
        up_to
        and Batch.objects.filter(project=project_id, set_aside_at=None, id__lte=up_to).exists()
    )


class WaitingJobs(NamedTuple):
    kind: str
    status: str
    jobs: int


class EndedJobs(NamedTuple):
    kind: str
    status: str
    jobs: int
    seconds: float


def waiting_jobs() -> list[WaitingJobs]:
    """Queued and running jobs of every kind."""
    return [
        WaitingJobs(kind_of(model), status, jobs)
        for model in JOBS
        for status, jobs in model._default_manager.filter(WAITING)
        .order_by()
        .values_list("status")
        .annotate(Count("id"))
    ]


def ended_jobs() -> list[EndedJobs]:
    """Number of jobs that succeeded or failed, for every kind, even if zero."""
    ends = (Job.Status.DONE.value, Job.Status.FAILED.value)
    sums = {(kind, status): (0, 0.0) for kind in KINDS for status in ends}
    for kind, status, jobs, seconds in JobTotal.objects.values_list(
        "kind", "status", "jobs", "seconds"
    ):
        sums[kind, status] = jobs, seconds
    return [EndedJobs(*key, *sums[key]) for key in sorted(sums)]
