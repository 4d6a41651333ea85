"""A backtest: which rules, which calls, how far it is, and what came out."""

from typing import Final

from django.db import models
from django.db.models import Q

KEPT_NAME: Final = 128


class Backtest(models.Model):
    """The table is the queue: a row that is queued waits, one that runs is heard of."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    bundle_name = models.CharField(max_length=KEPT_NAME)
    version = models.ForeignKey(  # none: a text that was not saved
        "governance.BundleVersion", models.SET_NULL, related_name="+", null=True
    )
    document = models.BinaryField()  # exactly these bytes
    revision_hash = models.CharField(max_length=64)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", null=True
    )
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()
    agents = models.JSONField(default=list)  # globs; none: all
    tools = models.JSONField(default=list)
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField()
    status = models.CharField(max_length=9, choices=Status, default=Status.QUEUED)
    tries = models.PositiveSmallIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    heard_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True)
    total = models.PositiveIntegerField(default=0)  # calls of that time, whoever made them
    passed = models.PositiveIntegerField(default=0)
    newly_denied = models.PositiveIntegerField(default=0)
    newly_allowed = models.PositiveIntegerField(default=0)
    newly_asking = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    undetermined = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    drift = models.PositiveIntegerField(default=0)
    not_replayed = models.PositiveIntegerField(default=0)
    result = models.JSONField(default=dict)  # tables and samples, all of them bounded

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="a_backtest_that_ended_says_when",
                condition=Q(status__in=["queued", "running"], finished_at=None)
                | Q(status__in=["done", "failed", "cancelled"], finished_at__isnull=False),
            )
        ]
        indexes = [
            models.Index(fields=["project", "bundle_name", "-id"], name="backtest_by_bundle"),
            models.Index(fields=["project", "revision_hash", "-id"], name="backtest_by_bytes"),
            models.Index(
                fields=["id"],
                name="backtest_that_waits",
                condition=Q(status__in=["queued", "running"]),
            ),
        ]

    def __str__(self) -> str:
        return f"backtest {self.pk} of {self.bundle_name}"

    @property
    def calls(self) -> int:
        return (
            self.newly_denied
            + self.newly_allowed
            + self.newly_asking
            + self.changed
            + self.undetermined
            + self.unchanged
        )

    @property
    def has_ended(self) -> bool:
        return self.status not in (self.Status.QUEUED, self.Status.RUNNING)

    @property
    def progress(self) -> float:
        """A share of one."""
        if self.status == self.Status.DONE:
            return 1.0
        return min(self.passed / self.total, 1.0) if self.total else 0.0
