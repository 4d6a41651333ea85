"""Groups of similar failures and denials, and the number of their calls over time.

A failed or denied call refers to its group. Changes of these counts are appended with all other
rollup changes, and merged into the rollups a little later.
"""

from django.db import models

from outcomes.core.groups import DENIED, FAILURE, LONGEST
from outcomes.models.rollups import OfEnvironment


class CallGroup(models.Model):
    """Columns shared by a group's calls. Removed with the last call, unless rollups refer to it."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)  # of all columns below
    of = models.CharField(max_length=7, choices=[(FAILURE, FAILURE), (DENIED, DENIED)])
    tool = models.ForeignKey(
        "outcomes.Tool", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    agent = models.ForeignKey(  # none: any agent
        "outcomes.Agent",
        models.CASCADE,
        related_name="+",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    kind = models.CharField(max_length=18)
    reason = models.TextField(blank=True)
    rule = models.TextField(blank=True)
    check_name = models.CharField(max_length=128, blank=True)
    text = models.CharField(max_length=LONGEST, blank=True)
    # Retention removed some of its calls, but rollups still refer to it.
    has_past = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="one_group_per_digest")
        ]

    def __str__(self) -> str:
        return f"{self.of}: {self.text}"


class GroupRollup(OfEnvironment):
    """Counts of one group for a quarter of an hour, an hour or a day."""

    class Of(models.IntegerChoices):
        FAILURES = 0
        FAILURES_OF_AGENT = 1
        DENIALS = 2

    of = models.PositiveSmallIntegerField(choices=Of.choices)
    step = models.PositiveSmallIntegerField()  # minutes
    start = models.IntegerField()
    tool = models.BigIntegerField()
    agent = models.BigIntegerField()  # 0: any
    group = models.BigIntegerField()
    calls = models.BigIntegerField()
    begun = models.BigIntegerField()  # sessions whose first call in the group is in this period
    ended = models.BigIntegerField()  # sessions whose last call in the group is

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "of", "step", "start", "tool", "agent", "group"],
                name="one_rollup_of_a_group",
            )
        ]
        indexes = [
            models.Index(
                fields=["group", "environment", "of", "agent", "step", "start"],
                name="rollups_of_a_group",
            )
        ]

    def __str__(self) -> str:
        return f"{self.step} minutes from {self.start} of {self.group}"
