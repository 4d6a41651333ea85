"""Suggestions: successful outputs with the shape of a known failure. Also the scans for them."""

from django.db import models
from django.db.models import Q

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job


class SuggestionScan(Job):
    """Scan of a project's newest outputs: one row, queued again when there is a reason."""

    project = models.OneToOneField("governance.Project", models.CASCADE, related_name="+")
    seen = models.BigIntegerField(default=0)  # newest event scanned
    judges = models.CharField(max_length=200, blank=True)  # checks that decided verdicts then
    looked_at = models.DateTimeField(null=True)
    looked_at_all = models.DateTimeField(null=True)  # all tools
    requested_at = models.DateTimeField(null=True)  # when it was queued
    is_requested_again = models.BooleanField(default=False)  # while it was running

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(name="a_look_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED)
        ]
        indexes = [models.Index(fields=["id"], name="look_that_waits", condition=WAITING)]

    def __str__(self) -> str:
        return f"look at the results of {self.project_id}"


class Suggestion(models.Model):
    """One rule of one built-in check that classifies outputs of one tool as failures.

    A row without outputs exists only to remember that a person dismissed it.
    """

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    tool = models.ForeignKey("outcomes.Tool", models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=128)
    rule = models.CharField(max_length=128)
    results = models.PositiveIntegerField()
    of = models.PositiveIntegerField()  # of this many of the tool's newest outputs
    scanned_since = models.DateTimeField(null=True)  # none: all older outputs were scanned
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    judge = models.CharField(max_length=128, blank=True)  # check that classifies most as success
    saw = models.JSONField(default=list)  # [[selector, value as JSON, results]], most first
    samples = models.JSONField(default=list)  # newest of each shape, most frequent shape first
    first_seen_at = models.DateTimeField()
    looked_at = models.DateTimeField()
    dismissed_by = models.CharField(max_length=320, blank=True)
    dismissed_at = models.DateTimeField(null=True)
    effect = models.ForeignKey(  # latest requested preview of what its rule would change
        "outcomes.Rejudging", models.SET_NULL, related_name="+", null=True
    )

    class Meta:
        ordering = ["-results", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["tool", "check_name", "rule"], name="one_suggestion_per_tool_and_rule"
            ),
            models.CheckConstraint(
                name="a_suggestion_was_dismissed_by_somebody_or_not_at_all",
                condition=Q(dismissed_by="", dismissed_at=None)
                | (~Q(dismissed_by="") & Q(dismissed_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="a_suggestion_without_results_is_dismissed",
                condition=Q(results__gt=0) | Q(dismissed_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}/{self.rule} for {self.tool.name}"


class SuspectedCall(models.Model):
    """A scanned call counted as success that a suggestion considers a failure."""

    suggestion = models.ForeignKey(
        Suggestion, models.CASCADE, related_name="suspected", db_index=False
    )
    call = models.ForeignKey(
        "outcomes.Call", models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["suggestion", "call"], name="one_suspicion_per_suggestion_and_call"
            )
        ]

    def __str__(self) -> str:
        return f"call {self.call_id} of suggestion {self.suggestion_id}"
