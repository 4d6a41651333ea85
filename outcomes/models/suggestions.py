"""Results that are judged success and have the form of a known failure: what was found, and when
was looked."""

from django.db import models
from django.db.models import Q

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job


class SuggestionScan(Job):
    """The look at a project's newest results: one row, which waits again when there is a reason."""

    project = models.OneToOneField("governance.Project", models.CASCADE, related_name="+")
    seen = models.BigIntegerField(default=0)  # the newest event that it has seen
    judges = models.CharField(max_length=200, blank=True)  # what decided verdicts then
    looked_at = models.DateTimeField(null=True)
    looked_at_all = models.DateTimeField(null=True)  # at every tool
    requested_at = models.DateTimeField(null=True)  # since when it waits
    is_requested_again = models.BooleanField(default=False)  # while it was at it

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(name="a_look_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED)
        ]
        indexes = [models.Index(fields=["id"], name="look_that_waits", condition=WAITING)]

    def __str__(self) -> str:
        return f"look at the results of {self.project_id}"


class Suggestion(models.Model):
    """One rule of one shipped check that knows results of one tool as failures.

    Without results it is only kept because somebody dismissed it, so that it stays dismissed.
    """

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    tool = models.ForeignKey("outcomes.Tool", models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=128)
    rule = models.CharField(max_length=128)
    results = models.PositiveIntegerField()
    of = models.PositiveIntegerField()  # so many of the tool's newest were looked at
    scanned_since = models.DateTimeField(null=True)  # none: no older output was left out
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    judge = models.CharField(max_length=128, blank=True)  # the check that calls most of them so
    saw = models.JSONField(default=list)  # [[selector, value as JSON, results]], most first
    samples = models.JSONField(default=list)  # the newest of each shape, the most frequent first
    first_seen_at = models.DateTimeField()
    looked_at = models.DateTimeField()
    dismissed_by = models.CharField(max_length=320, blank=True)
    dismissed_at = models.DateTimeField(null=True)
    effect = models.ForeignKey(  # what its rule would change, when somebody has asked last
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
    """A call counted as success, among those scanned, that a suggestion takes for a failure."""

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
