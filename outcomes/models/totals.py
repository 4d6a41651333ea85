"""Totals for metrics: what was counted since the installation began.

Rollups follow their calls when these are corrected, erased or removed with their session. Totals
stay: a counter that went down would read as a restart, and as a burst of calls.
"""

from django.db import models

from outcomes.models.rollups import OfEnvironment


class SeriesTotal(OfEnvironment):
    """Counter of an environment, by tool where it has one, and by one more label."""

    class Of(models.TextChoices):
        CALLS = "calls"  # by type
        VERDICTS = "verdicts"
        DENIALS = "denials"  # by reason
        DISAGREEMENTS = "disagreements"

    of = models.CharField(max_length=13, choices=Of)
    tool = models.BigIntegerField()  # 0: all tools without a series of their own, or no tool
    label = models.CharField(max_length=32)
    current = models.BigIntegerField()  # goes down while a late report changes a verdict
    highest = models.BigIntegerField()  # the counter

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "of", "tool", "label"], name="one_total_of_its_series"
            )
        ]

    def __str__(self) -> str:
        return f"{self.of} {self.label}: {self.highest}"


class NamedTool(models.Model):
    """A tool with series of its own; the others are counted together."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    tool = models.BigIntegerField(unique=True)

    def __str__(self) -> str:
        return f"tool {self.tool}"


class JobTotal(models.Model):
    """Jobs of one kind that ended in one way."""

    kind = models.CharField(max_length=20)
    status = models.CharField(max_length=9)
    jobs = models.BigIntegerField()
    seconds = models.FloatField()  # from their last start to their end

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "status"], name="one_total_per_kind_and_status")
        ]

    def __str__(self) -> str:
        return f"{self.jobs} {self.kind}, {self.status}"
