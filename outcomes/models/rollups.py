"""Rollups of calls, updated with them.

A change to calls only appends its difference, which costs next to nothing; a job merges it into the
rollups a little later. Reads add both, so figures are always exact. Times are whole minutes since
1970.
"""

from django.db import models


class RollupChange(models.Model):
    """Difference that one claim or one reclassified chunk made to the rollups of an environment."""

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
    )
    first = models.IntegerField()  # range of minutes that it covers
    last = models.IntegerField()
    counts = models.BinaryField()
    durations = models.BinaryField()
    groups = models.BinaryField(null=True)  # none: no group changed
    # Newly reported calls, not a correction of earlier ones.
    from_settling = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return f"{self.pk}: {self.first} to {self.last}"


class OfEnvironment(models.Model):
    """Base with an unindexed foreign key: rows are looked up by their unique columns."""

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )

    class Meta:
        abstract = True


class Packed(OfEnvironment):
    counts = models.BinaryField()
    durations = models.BinaryField()

    class Meta:
        abstract = True


class RollupMinute(Packed):
    """Rollup of one minute over all tools and agents."""

    minute = models.IntegerField()
    groups = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["environment", "minute"], name="one_rollup_of_a_minute")
        ]

    def __str__(self) -> str:
        return f"minute {self.minute}"


class Rollup(Packed):
    """Rollup of 15 minutes, an hour or a day: of all calls, a tool, an agent, or a pair."""

    class Of(models.IntegerChoices):
        ALL = 0
        TOOL = 1
        AGENT = 2
        BOTH = 3

    of = models.PositiveSmallIntegerField(choices=Of.choices)
    step = models.PositiveSmallIntegerField()  # minutes
    start = models.IntegerField()
    tool = models.BigIntegerField()  # 0: any
    agent = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "of", "step", "start", "tool", "agent"],
                name="one_rollup_of_its_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.step} minutes from {self.start}"
