"""Masking before storing: what a project chose, and how much was masked."""

from django.db import models

from governance.models.projects import Project


class MaskingRules(models.Model):
    """Rules of a project; without a row secrets are masked when they are shown."""

    project = models.OneToOneField(
        Project, models.CASCADE, primary_key=True, related_name="masking"
    )
    before_storing = models.BooleanField(default=False, db_default=False)
    detectors = models.JSONField(default=list)  # names
    # Own patterns: name, pattern, whether inside texts, and the automaton it was compiled to.
    patterns = models.JSONField(default=list)
    salt = models.BinaryField(max_length=32)  # with the console's secret key: of fingerprints
    revision = models.PositiveIntegerField(default=1)  # compiled rules are cached by it

    def __str__(self) -> str:
        return f"masking of {self.project_id}"


class MaskedTotal(models.Model):
    """Count of values that one detector masked before they were stored."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    detector = models.CharField(max_length=48)
    masked = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField()

    class Meta:
        ordering = ["detector"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "detector"], name="one_masked_total_per_project_and_detector"
            )
        ]

    def __str__(self) -> str:
        return f"{self.detector}: {self.masked}"
