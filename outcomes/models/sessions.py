"""Session of an agent: its counts, and its state against its limits."""

from datetime import timedelta
from typing import Final

from django.db import models
from django.db.models import Q

LOOP: Final = 3  # denials of the same call; a second one may be a legitimate retry


class Session(models.Model):
    """A session. Everything but its identity is derived from its calls and written with them."""

    class Stopped(models.TextChoices):
        PREMATURE = "premature"
        DELAYED = "delayed"
        RIGHT = "right"
        UNJUDGED = "unjudged"

    class Has(models.IntegerChoices):
        """Bits of `has`, which lists filter by and count."""

        DENIALS = 1
        DISAGREEMENTS = 2
        ARTIFACTS = 4
        WASTE = 8

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_index=False
    )
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    digest = models.BinaryField(max_length=16)  # of the session id
    session_id = models.TextField()
    agent = models.ForeignKey("outcomes.Agent", models.CASCADE, related_name="+", null=True)
    version = models.ForeignKey(  # contract version that governed its last call
        "governance.BundleVersion", models.SET_NULL, related_name="+", null=True, db_index=False
    )
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)  # none: no call has been settled yet
    attempts = models.PositiveIntegerField(default=0)
    executions = models.PositiveIntegerField(default=0)
    successes = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    unknown = models.PositiveIntegerField(default=0)
    denied = models.PositiveIntegerField(default=0)
    open = models.PositiveIntegerField(default=0)
    disagreements = models.PositiveIntegerField(default=0)
    artifacts = models.PositiveIntegerField(default=0)
    stopped = models.CharField(  # by a limit, with a verdict on that; empty: not stopped
        max_length=9, choices=Stopped, blank=True
    )
    limit_name = models.CharField(  # the limit that stopped it, else the first limit that it hit
        max_length=200, blank=True
    )
    waste = models.PositiveIntegerField(default=0)  # wasted calls in turns, of every kind
    has = models.PositiveSmallIntegerField(default=0)
    # Longest loop: number of denials of the same call; 0 if no call was denied twice.
    loop = models.PositiveIntegerField(default=0)
    loop_first_at = models.DateTimeField(null=True)
    loop_last_at = models.DateTimeField(null=True)
    loop_call = models.ForeignKey(  # the last one in the loop
        "outcomes.Call",
        models.DO_NOTHING,
        related_name="+",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    # Written by code that knows all these columns. A migration that adds one sets it to false
    # everywhere; then all sessions are recomputed in batches.
    is_read = models.BooleanField(default=False)
    tally = models.TextField(blank=True)  # the reader's state as JSON, parsed by codec.py

    class Meta:
        ordering = ["-last_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "digest"], name="one_session_per_environment_and_id"
            )
        ]
        indexes = [
            # Covers all columns that lists filter, sort and count by, so that they never read rows.
            models.Index(
                fields=[
                    "project",
                    "last_at",
                    "id",
                    "environment",
                    "agent",
                    "version",
                    "stopped",
                    "limit_name",
                    "has",
                    "attempts",
                    "failures",
                    "denied",
                    "successes",
                    "first_at",
                    "waste",
                ],
                name="session_in_lists",
            ),
            # For projects with more sessions than can be sorted in memory.
            models.Index(fields=["project", "attempts", "id", "last_at"], name="session_by_calls"),
            models.Index(
                fields=["project", "failures", "id", "last_at"], name="session_by_failures"
            ),
            models.Index(fields=["project", "denied", "id", "last_at"], name="session_by_denied"),
            models.Index(
                fields=["project", "loop_last_at"],
                name="session_with_a_loop",
                condition=Q(loop__gte=LOOP),
            ),
            models.Index(fields=["id"], name="session_to_read_anew", condition=Q(is_read=False)),
        ]

    def __str__(self) -> str:
        return self.session_id

    @property
    def judged(self) -> int:
        """Denominator of the success rate: calls with a known verdict."""
        return self.successes + self.failures

    @property
    def lasted(self) -> timedelta | None:
        return self.last_at - self.first_at if self.last_at and self.first_at else None
