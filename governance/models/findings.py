"""What needs attention: one list of findings, from whatever noticed them."""

from django.db import models
from django.db.models import Q

from governance.models.projects import Project


class Finding(models.Model):
    """Something that happened, or, where it lasts, something that is so until a look finds it over.

    What happened is over once a person dismisses it; what lasts is only put aside until it ends.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=64)
    # What it is about, as people would name it; empty: the project itself.
    subject = models.CharField(max_length=400)
    environment = models.CharField(max_length=128, blank=True)  # empty: the whole project
    agent = models.CharField(  # empty: no single one
        max_length=400, blank=True, default="", db_default=""
    )
    why = models.TextField()
    link = models.CharField(max_length=2000, blank=True)
    since = models.DateTimeField()
    last_at = models.DateTimeField()  # when it was noticed last
    lasts = models.BooleanField(default=False)
    dismissed_by = models.CharField(max_length=320, blank=True)
    dismissed_at = models.DateTimeField(null=True)
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
