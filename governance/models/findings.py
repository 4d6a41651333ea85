"""Alerts of a project, in one list."""

from django.db import models
from django.db.models import Q

from governance.models.projects import Project


class Finding(models.Model):
    """An alert: an event, or, with `lasts`, a condition that a periodic check resolves.

    Dismissing an event resolves it. A dismissed condition stays unresolved until it ends.
    """

    class Severity(models.TextChoices):
        ERROR = "error"
        WARNING = "warning"

    project = models.ForeignKey(Project, models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=64)
    # Readable name of what the alert is about; empty: the project itself.
    subject = models.CharField(max_length=400)
    environment = models.CharField(max_length=128, blank=True)  # empty: the whole project
    agent = models.CharField(  # empty: not about a single agent
        max_length=400, blank=True, default="", db_default=""
    )
    title = models.CharField(  # with names in backticks; empty: the default text of its kind
        max_length=400, blank=True, default="", db_default=""
    )
    why = models.TextField()
    link = models.CharField(max_length=2000, blank=True)
    severity = models.CharField(
        max_length=7, choices=Severity, default=Severity.WARNING, db_default=Severity.WARNING
    )
    impact = models.PositiveBigIntegerField(default=0, db_default=0)  # calls affected
    since = models.DateTimeField()
    last_at = models.DateTimeField()  # last detected
    lasts = models.BooleanField(default=False)
    dismissed_by = models.CharField(max_length=320, blank=True)
    dismissed_at = models.DateTimeField(null=True)
    snoozed_by = models.CharField(max_length=320, blank=True, default="", db_default="")
    snoozed_until = models.DateTimeField(null=True)
    snoozed_impact = models.PositiveBigIntegerField(null=True)  # set: snoozed until it grows
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-since", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "kind", "subject"],
                condition=Q(resolved_at=None),
                name="one_open_finding_per_kind_and_subject",
            ),
            models.CheckConstraint(
                name="a_finding_was_dismissed_by_somebody_or_not_at_all",
                condition=Q(dismissed_by="", dismissed_at=None)
                | (~Q(dismissed_by="") & Q(dismissed_at__isnull=False)),
            ),
        ]
        indexes = [models.Index(fields=["project", "-since"], name="finding_by_time")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}"
