"""Reclassifications of recorded calls, and check backtests."""

from typing import Final

from django.db import models

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job

MOST_PARTS: Final = 64


class Rejudging(Job):
    """Request of a reclassification or check backtest, and the result of all its parts."""

    class Kind(models.TextChoices):
        CHECK_BACKTEST = "check_backtest"  # what a text would change; writes no verdict
        RECLASSIFICATION = "reclassification"  # by the checks that are bound when it is asked for

    class Scope(models.TextChoices):
        BOUND = "bound"  # the calls that the bindings give this check
        ALL = "all"  # all of the chosen ones, as if they were bound to it

    kind = models.CharField(max_length=16, choices=Kind)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=128, blank=True)
    check_version = models.PositiveIntegerField(null=True)  # none: a text that was not saved
    document = models.BinaryField(default=bytes)  # exactly these bytes
    packed = models.BinaryField(default=bytes)  # what they were compiled to
    sha256 = models.CharField(max_length=64, blank=True)
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.BOUND)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", null=True
    )
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()
    agents = models.JSONField(default=list)  # globs; none: all
    tools = models.JSONField(default=list)
    filters = models.JSONField(default=dict)  # further ones, by the names of a filter of calls
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="a_rejudging_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED
            )
        ]
        indexes = [
            models.Index(fields=["project", "kind", "check_name", "-id"], name="rejudging_by_check")
        ]

    def __str__(self) -> str:
        if self.kind == self.Kind.RECLASSIFICATION:
            return f"reclassification {self.pk}"
        return f"backtest {self.pk} of the check {self.check_name}"


class RejudgingPart(Job):
    """A share of the calls that one process reads, from its first session to its last."""

    rejudging = models.ForeignKey(Rejudging, models.CASCADE, related_name="parts")
    number = models.PositiveSmallIntegerField()
    first = models.BigIntegerField(null=True)  # session; none: the calls without one
    last = models.BigIntegerField(null=True)
    place = models.JSONField(default=dict)  # up to where its figures tell

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["rejudging", "number"], name="one_part_per_rejudging_and_number"
            ),
            models.CheckConstraint(
                name="a_part_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED
            ),
        ]
        indexes = [models.Index(fields=["id"], name="part_that_waits", condition=WAITING)]

    def __str__(self) -> str:
        return f"part {self.number} of {self.rejudging_id}"


class PastVerdict(models.Model):
    """Earlier verdict of a call, before another version of a check replaced it."""

    call = models.ForeignKey(
        "outcomes.Call", models.CASCADE, related_name="past_verdicts", db_constraint=False
    )
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    check_name = models.CharField(max_length=128)
    check_version = models.PositiveIntegerField(null=True)
    verdict = models.CharField(max_length=7)  # of the check
    effective = models.CharField(max_length=7, blank=True, db_default="")
    decided_by = models.CharField(max_length=7, blank=True, db_default="")
    rule = models.CharField(max_length=128, blank=True)
    value = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    labels = models.CharField(max_length=200, blank=True)
    cut = models.BooleanField(db_default=False)
    until = models.DateTimeField()  # when the next one took its place

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["project", "check_name", "check_version"], name="past_verdict_by_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.check_name} v{self.check_version}: {self.verdict}"
