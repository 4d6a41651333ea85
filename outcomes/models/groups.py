"""Groups of failures and denials, and how many calls of each there are in a time.

A call that failed or was denied says which group it belongs to. What that changes is appended with
all else that changes of rollups, and added to these a little later.
"""

from django.db import models

from outcomes.core.groups import DENIED, FAILURE, LONGEST
from outcomes.models.rollups import OfEnvironment


class CallGroup(models.Model):
    """Columns that its calls share. It is removed with the last of them, unless sums name it."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)  # of all that follows
    of = models.CharField(max_length=7, choices=[(FAILURE, FAILURE), (DENIED, DENIED)])
    tool = models.ForeignKey(
        "outcomes.Tool", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    agent = models.ForeignKey(  # none: of whichever agent
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
    # Retention removed some of its calls, and their sums still name it.
    has_past = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="one_group_per_digest")
        ]

    def __str__(self) -> str:
        return f"{self.of}: {self.text}"


class GroupRollup(OfEnvironment):
    """A quarter of an hour, an hour or a day of one group."""

    class Of(models.IntegerChoices):
        FAILURES = 0
        FAILURES_OF_AGENT = 1
        DENIALS = 2

    of = models.PositiveSmallIntegerField(choices=Of.choices)
    step = models.PositiveSmallIntegerField()  # minutes
    start = models.IntegerField()
    tool = models.BigIntegerField()
    agent = models.BigIntegerField()  # 0: whichever
    group = models.BigIntegerField()
    calls = models.BigIntegerField()
    begun = models.BigIntegerField()  # sessions of which the first of these calls lies here
    ended = models.BigIntegerField()  # those of which the last one does

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
