"""Masking before storing: a project's rules, and how many values were masked."""

from django.db import models

from governance.models.projects import Project


class MaskingRules(models.Model):
    """Rules of a project. Without a row, secrets are masked on display."""

    project = models.OneToOneField(
        Project, models.CASCADE, primary_key=True, related_name="masking"
    )
    before_storing = models.BooleanField(default=False, db_default=False)
    detectors = models.JSONField(default=list)  # names
    # Own patterns: name, pattern, whether to match inside texts, and the compiled automaton.
    patterns = models.JSONField(default=list)
    salt = models.BinaryField(max_length=32)  # for fingerprints, with the secret key
    revision = models.PositiveIntegerField(default=1)  # compiled rules are cached by it

    def __str__(self) -> str:
        return f"masking of {self.project_id}"


class DetectorTotal(models.Model):
    """Number of values that one detector masked before storing."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    detector = models.CharField(max_length=48)
    masked = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField()

    class Meta:
        ordering = ["detector"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "detector"], name="one_total_per_project_and_detector"
            )
        ]

    def __str__(self) -> str:
        return f"{self.detector}: {self.masked}"
