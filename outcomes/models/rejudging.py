"""Reclassifications of recorded calls, and backtests of checks."""

from typing import Final

from django.db import models

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job

MOST_PARTS: Final = 64


class Rejudging(Job):
    """Request for a reclassification or check backtest, with the combined result of its parts."""

    class Kind(models.TextChoices):
        CHECK_BACKTEST = "check_backtest"  # what a draft check would change; writes no verdicts
        RECLASSIFICATION = "reclassification"  # with the checks bound when it is requested

    class Scope(models.TextChoices):
        BOUND = "bound"  # calls that bindings assign to this check
        ALL = "all"  # all selected calls, as if they were bound to it

    kind = models.CharField(max_length=16, choices=Kind)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=128, blank=True)
    check_version = models.PositiveIntegerField(null=True)  # none: an unsaved draft
    document = models.BinaryField(default=bytes)  # exactly these bytes
    packed = models.BinaryField(default=bytes)  # its compiled form
    sha256 = models.CharField(max_length=64, blank=True)
    scope = models.CharField(max_length=5, choices=Scope, default=Scope.BOUND)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", null=True
    )
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()
    agents = models.JSONField(default=list)  # globs; empty: all
    tools = models.JSONField(default=list)
    filters = models.JSONField(default=dict)  # further ones, named as in a call filter
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
    """A share of the calls, processed by one worker, from a first to a last session."""

    rejudging = models.ForeignKey(Rejudging, models.CASCADE, related_name="parts")
    number = models.PositiveSmallIntegerField()
    first = models.BigIntegerField(null=True)  # id of a session; none: calls without one
    last = models.BigIntegerField(null=True)
    place = models.JSONField(default=dict)  # position up to which its figures are complete

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
    """Earlier verdict of a call, replaced by a newer version of a check."""

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
    until = models.DateTimeField()  # when it was replaced

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["project", "check_name", "check_version"], name="past_verdict_by_version"
            )
        ]

    def __str__(self) -> str:
        return f"{self.check_name} v{self.check_version}: {self.verdict}"
