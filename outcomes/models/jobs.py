"""State of a job that a Celery worker runs: queued, running with a heartbeat, or ended."""

from django.db import models
from django.db.models import Q


class Job(models.Model):
    """Base of jobs. The table is the queue: queued rows wait, running rows have a heartbeat."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    tries = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    heard_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True)
    total = models.PositiveIntegerField(default=0)  # rows to process
    passed = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict)  # tables and samples, limited in size

    class Meta:
        abstract = True

    @property
    def has_ended(self) -> bool:
        return self.status not in (self.Status.QUEUED, self.Status.RUNNING)

    @property
    def progress(self) -> float:
        """Fraction done, from 0 to 1."""
        if self.status == self.Status.DONE:
            return 1.0
        return min(self.passed / self.total, 1.0) if self.total else 0.0


WAITING = Q(status__in=[Job.Status.QUEUED.value, Job.Status.RUNNING.value])
SAYS_WHEN_IT_ENDED = Q(
    status__in=[Job.Status.QUEUED.value, Job.Status.RUNNING.value], finished_at=None
) | Q(
    status__in=[Job.Status.DONE.value, Job.Status.FAILED.value, Job.Status.CANCELLED.value],
    finished_at__isnull=False,
)
