"""What needs attention: one list of findings, from whatever noticed them."""

from django.db import models
from django.db.models import Q

from governance.models.projects import Project


class Finding(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="findings")
    kind = models.CharField(max_length=64)
    subject = models.CharField(max_length=400)  # what it is about, as people would name it
    environment = models.CharField(max_length=128, blank=True)  # empty: the whole project
    why = models.TextField()
    link = models.CharField(max_length=2000, blank=True)
    since = models.DateTimeField()
    last_at = models.DateTimeField()  # when it was noticed last
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-since", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "kind", "subject"],
                condition=Q(resolved_at=None),
                name="one_open_finding_per_kind_and_subject",
            )
        ]
        indexes = [models.Index(fields=["project", "-since"], name="finding_by_time")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}"
