"""Backtests: their rules, calls, progress and results."""

from enum import StrEnum
from typing import Final

from django.db import models

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job

NAME_LENGTH: Final = 128


class CallsUnder(StrEnum):
    """Which calls are replayed, by the contract under which they ran."""

    CONTRACT = "contract"  # only this contract's
    ALL = "all"
    ALL_INSTEAD = "all_instead"  # only this contract's were requested, but there were none


class Backtest(Job):
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    bundle_name = models.CharField(max_length=NAME_LENGTH)
    version = models.ForeignKey(  # none: unsaved YAML
        "governance.BundleVersion", models.SET_NULL, related_name="+", null=True
    )
    base = models.PositiveIntegerField(null=True)  # version number that the change was based on
    change = models.CharField(max_length=240, default="", db_default="")  # max_attempts: 20
    document = models.BinaryField()  # exactly these bytes
    revision_hash = models.CharField(max_length=64)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", null=True
    )
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()
    agents = models.JSONField(default=list)  # globs; empty: all
    tools = models.JSONField(default=list)
    calls_under = models.CharField(  # which calls, by the contract under which they ran
        max_length=11, default=CallsUnder.ALL.value, db_default=CallsUnder.ALL.value
    )
    author = models.CharField(max_length=254)
    created_at = models.DateTimeField()
    newly_denied = models.PositiveIntegerField(default=0)
    newly_allowed = models.PositiveIntegerField(default=0)
    newly_asking = models.PositiveIntegerField(default=0)
    changed = models.PositiveIntegerField(default=0)
    undetermined = models.PositiveIntegerField(default=0)
    unchanged = models.PositiveIntegerField(default=0)
    drift = models.PositiveIntegerField(default=0)
    not_replayed = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="a_backtest_that_ended_says_when",
                condition=SAYS_WHEN_IT_ENDED,
            )
        ]
        indexes = [
            models.Index(fields=["project", "bundle_name", "-id"], name="backtest_by_bundle"),
            models.Index(fields=["project", "revision_hash", "-id"], name="backtest_by_bytes"),
            models.Index(
                fields=["id"],
                name="backtest_that_waits",
                condition=WAITING,
            ),
        ]

    def __str__(self) -> str:
        return f"backtest {self.pk} of {self.bundle_name}"

    @property
    def calls(self) -> int:
        return (
            self.newly_denied
            + self.newly_allowed
            + self.newly_asking
            + self.changed
            + self.undetermined
            + self.unchanged
        )


class ChangedCall(models.Model):
    """A call whose decision a backtest would change, or that drifts. Their number is limited."""

    backtest = models.ForeignKey(Backtest, models.CASCADE, related_name="+", db_index=False)
    call = models.ForeignKey("outcomes.Call", models.CASCADE, related_name="+", db_constraint=False)
    at = models.DateTimeField()  # of the call
    change = models.CharField(max_length=13)
    behind = models.TextField()  # rule that causes the difference
    was = models.CharField(max_length=7)
    was_rule = models.TextField(blank=True)
    now = models.CharField(max_length=7)
    rule = models.TextField(blank=True)  # that now decides
    output = models.CharField(max_length=6)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["backtest", "-at", "-id"], name="changed_call_by_time")]

    def __str__(self) -> str:
        return f"call {self.call_id}, {self.change}"
