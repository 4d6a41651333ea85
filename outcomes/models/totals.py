"""Totals for metrics, counted since the installation was set up.

Rollups change when calls are corrected, erased or removed with their session. Totals don't: a
decreasing counter would read as a restart, and as a burst of calls.
"""

from django.db import models

from outcomes.models.rollups import OfEnvironment


class SeriesTotal(OfEnvironment):
    """Counter of an environment, by tool if it has its own series, and by one more label."""

    class Of(models.TextChoices):
        CALLS = "calls"  # by type
        VERDICTS = "verdicts"
        DENIALS = "denials"  # by reason
        DISAGREEMENTS = "disagreements"

    of = models.CharField(max_length=13, choices=Of)
    tool = models.BigIntegerField()  # 0: all tools without their own series, or no tool
    label = models.CharField(max_length=32)
    current = models.BigIntegerField()  # decreases while a late report changes a verdict
    highest = models.BigIntegerField()  # value of the counter

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "of", "tool", "label"], name="one_total_of_its_series"
            )
        ]

    def __str__(self) -> str:
        return f"{self.of} {self.label}: {self.highest}"


class NamedTool(models.Model):
    """A tool with its own series. All others are counted together."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    tool = models.BigIntegerField(unique=True)

    def __str__(self) -> str:
        return f"tool {self.tool}"


class JobTotal(models.Model):
    """Number of jobs of one kind that ended with one status."""

    kind = models.CharField(max_length=20)
    status = models.CharField(max_length=9)
    jobs = models.BigIntegerField()
    seconds = models.FloatField()  # from last start to end

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "status"], name="one_total_per_kind_and_status")
        ]

    def __str__(self) -> str:
        return f"{self.jobs} {self.kind}, {self.status}"
