"""Sums of calls, updated with them.

A change to calls appends its difference, which costs next to nothing; it is added to the rollups
a little later. Reads add both, so figures are exact at every moment. Times are whole minutes
since 1970."""

from django.db import models


class RollupChange(models.Model):
    """Difference that one claim, or one reclassified chunk, made to the sums of an environment."""

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
    )
    first = models.IntegerField()  # the minutes that it is about
    last = models.IntegerField()
    counts = models.BinaryField()
    durations = models.BinaryField()
    groups = models.BinaryField(null=True)  # none: nothing changed of any
    # What agents reported, not a correction of what they did before.
    from_settling = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return f"{self.pk}: {self.first} to {self.last}"


class OfEnvironment(models.Model):
    """Foreign key without an index: rows are found by their unique columns."""

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
    """Sums of one minute over all tools and agents."""

    minute = models.IntegerField()
    groups = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["environment", "minute"], name="one_rollup_of_a_minute")
        ]

    def __str__(self) -> str:
        return f"minute {self.minute}"


class Rollup(Packed):
    """A quarter of an hour, an hour or a day: of all calls, of a tool, of an agent, of both."""

    class Of(models.IntegerChoices):
        ALL = 0
        TOOL = 1
        AGENT = 2
        BOTH = 3

    of = models.PositiveSmallIntegerField(choices=Of.choices)
    step = models.PositiveSmallIntegerField()  # minutes
    start = models.IntegerField()
    tool = models.BigIntegerField()  # 0: whichever
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
