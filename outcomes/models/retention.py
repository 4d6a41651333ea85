"""Retention rules, legal holds, and the jobs that remove, erase and archive."""

from django.db import models
from django.db.models import Q

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job


class RetentionRule(models.Model):
    """Number of days that one kind of data is kept. Without a row, the default applies."""

    class Kind(models.TextChoices):
        PAYLOADS = "payloads"
        ARTIFACTS = "artifacts"
        CALLS = "calls"
        ROLLUPS = "rollups"
        APPROVALS = "approvals"
        REJECTED = "rejected"
        AUDIT = "audit"

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    environment = models.ForeignKey(  # none: all environments without a rule of their own
        "governance.Environment", models.CASCADE, related_name="+", null=True
    )
    kind = models.CharField(max_length=9, choices=Kind)
    days = models.PositiveIntegerField(null=True)  # none: forever

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "kind"],
                condition=Q(environment=None),
                name="one_rule_per_kind",
            ),
            models.UniqueConstraint(
                fields=["environment", "kind"], name="one_rule_per_environment_and_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.days} days"


class Hold(models.Model):
    """Legal hold on one session, or on all calls that match a search and their sessions."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    session = models.OneToOneField(
        "outcomes.Session", models.CASCADE, related_name="hold", null=True
    )
    query = models.CharField(max_length=500, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    author = models.CharField(max_length=320)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="a_hold_is_of_a_session_or_a_query",
                condition=Q(session=None) ^ Q(query=""),
            ),
        ]

    def __str__(self) -> str:
        return f"hold {self.pk}"


class RetentionMark(models.Model):
    """Progress of retention in an environment."""

    environment = models.OneToOneField(
        "governance.Environment", models.CASCADE, related_name="+", primary_key=True
    )
    payloads_to = models.BigIntegerField(default=0)  # last event scanned
    notes_to = models.BigIntegerField(default=0)  # last event without a call that was scanned
    # Calls and payloads before this may have been removed; none: nothing was removed yet.
    calls_before = models.DateTimeField(null=True)
    payloads_before = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"retention in {self.environment_id}"


class RetentionRun(Job):
    """One retention run over a project, started by schedule or by a person."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    author = models.CharField(max_length=320)
    created_at = models.DateTimeField()
    stage = models.CharField(max_length=16, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="a_retention_run_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED
            ),
            models.UniqueConstraint(
                fields=["project"], condition=WAITING, name="one_retention_run_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["id"], name="retention_run_that_waits", condition=WAITING),
            models.Index(fields=["project", "-id"], name="retention_run_by_project"),
        ]

    def __str__(self) -> str:
        return f"retention run {self.pk}"


class Erasure(Job):
    """Removal of all data about one agent or one principal, including its share of every rollup."""

    class About(models.TextChoices):
        AGENT = "agent"
        PRINCIPAL = "principal"

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    about = models.CharField(max_length=9, choices=About)
    name = models.TextField(blank=True)  # empty once it is done
    digest = models.BinaryField(max_length=16)  # of the name
    author = models.CharField(max_length=320)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="an_erasure_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED
            )
        ]
        indexes = [models.Index(fields=["id"], name="erasure_that_waits", condition=WAITING)]

    def __str__(self) -> str:
        return f"erasure {self.pk}"


class ArchivedDay(models.Model):
    """Archive of one day's calls, by time of receipt, in an external file."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    day = models.DateField()
    calls = models.PositiveBigIntegerField()
    path = models.TextField()
    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    last_event = models.BigIntegerField(default=0)  # all events up to this one are archived
    archived_at = models.DateTimeField()

    class Meta:
        ordering = ["day"]
        constraints = [
            models.UniqueConstraint(fields=["project", "day"], name="one_archive_of_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.calls} calls of {self.day}"
