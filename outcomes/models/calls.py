"""Events, append-only as reported, and calls, folded from them."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Left

NAME_INDEXED = 64  # characters of an artifact's name; ours have exactly as many


class Event(models.Model):
    """One report about a call. Ids increase in the order events are accepted."""

    id = models.BigIntegerField(primary_key=True)
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    call_digest = models.BinaryField(max_length=16)
    digest = models.BinaryField(max_length=32)  # equal for repeats of the same event
    agent = models.ForeignKey(
        "outcomes.Agent", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    source = models.CharField(max_length=8)
    received_at = models.DateTimeField()
    item = models.BinaryField()  # as sent, compressed
    # Glob of agents that the key may report for; empty: any.
    bound_to = models.CharField(max_length=128, blank=True, default="", db_default="")
    # About a call of an agent that the key may not report for: stored, but without effect.
    set_apart = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "call_digest", "digest"], name="one_event_however_often_sent"
            )
        ]
        # Ascending: rows are inserted in this order, and PostgreSQL fills pages well only at that
        # end.
        indexes = [models.Index(fields=["project", "id"], name="event_by_project")]

    def __str__(self) -> str:
        return f"event {self.pk}"


class Call(models.Model):
    """Columns of one call that lists, counts and filters need.

    Arguments, output and details are read from the events. A call's id is that of the event that
    created it; its order is that of the first event accepted.
    """

    class Kind(models.TextChoices):
        OPEN = ""
        EXECUTION_RESULT = "execution_result"
        TIMEOUT = "timeout"
        FAILURE = "failure"
        DENIED = "denied"
        ARTIFACT_REFERENCE = "artifact_reference"

    id = models.BigIntegerField(primary_key=True)
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    digest = models.BinaryField(max_length=16)  # of the call id
    call_id = models.TextField()
    agent = models.ForeignKey(
        "outcomes.Agent", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    tool = models.ForeignKey(
        "outcomes.Tool", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    session = models.ForeignKey(
        "outcomes.Session",
        models.CASCADE,
        related_name="calls",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    turn_id = models.TextField(blank=True)
    at = models.DateTimeField()  # of the earliest event
    call_index = models.BigIntegerField(default=0)
    order = models.BigIntegerField()  # of acceptance
    received_at = models.DateTimeField()
    kind = models.CharField(max_length=18, choices=Kind.choices, blank=True)
    reason = models.TextField(blank=True)  # of a denial
    detail = models.CharField(
        max_length=200, blank=True
    )  # beginning of an error, a denial's details or a summary
    rule = models.TextField(blank=True)  # the contract rule that decided
    elapsed_ms = models.FloatField(null=True)
    reported = models.CharField(max_length=7, blank=True)
    classified = models.CharField(max_length=7, blank=True)
    verdict = models.CharField(max_length=7, blank=True)  # effective verdict; empty: none
    decided_by = models.CharField(max_length=7, blank=True, db_default="")  # empty: unknown or none
    disagreement = models.BooleanField()
    check_name = models.CharField(max_length=128, blank=True)
    check_version = models.PositiveIntegerField(null=True)
    check_rule = models.CharField(max_length=128, blank=True)
    check_value = models.TextField(blank=True)  # value that the rule read, as JSON; empty: none
    verdict_reason = models.TextField(blank=True)
    labels = models.CharField(max_length=200, blank=True)  # separated by spaces
    cut = models.BooleanField(db_default=False)  # the verdict depends on text that was not read
    would_deny = models.BooleanField()
    conflict = models.BooleanField()
    approval_requested = models.BooleanField()  # an approval was requested
    idempotent = models.BooleanField()
    blocks_tool = models.BooleanField()  # failed and not retryable in its turn
    from_sdk = models.BooleanField()
    arguments = models.BinaryField(max_length=16, null=True)  # digest; equal for equal arguments
    artifact_name = models.TextField(blank=True)  # artifact id as the agent sent it
    artifact = models.ForeignKey(  # none: stored by the agent
        "outcomes.Artifact",
        models.SET_NULL,
        related_name="calls",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    artifact_read = models.TextField(  # artifact that the call read, if it ran
        blank=True, db_default=""
    )
    policy_version = models.TextField(blank=True)
    version = models.ForeignKey(  # contract version that governed it
        "governance.BundleVersion",
        models.SET_NULL,
        related_name="+",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    group = models.ForeignKey(  # none: neither failed nor denied
        "outcomes.CallGroup",
        models.DO_NOTHING,
        related_name="+",
        null=True,
        db_constraint=False,
        db_index=False,
    )

    class Meta:
        ordering = ["-at", "-order"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "digest"], name="one_call_per_environment_and_id"
            ),
            models.CheckConstraint(
                name="only_a_call_with_an_outcome_is_classified",
                condition=Q(classified="") | (~Q(kind="") & ~Q(kind="denied")),
            ),
        ]
        indexes = [
            models.Index(fields=["project", "at", "order"], name="call_by_time"),
            models.Index(fields=["session", "at"], name="call_by_session"),
            models.Index(fields=["tool", "at"], name="call_by_tool"),
            models.Index(
                fields=["project", "at", "order"],
                name="call_without_session",
                condition=Q(session=None),
            ),
            # SQLite infers "is not null", in exactly this form, from an equality. Otherwise it
            # scans all calls for each group.
            models.Index(
                F("group"),
                F("at").desc(),
                F("order").desc(),
                F("environment"),
                name="call_by_group",
                condition=Q(group__isnull=False),
            ),
            models.Index(
                fields=["group", "session", "agent", "at"],
                name="call_by_group_and_session",
                condition=Q(group__isnull=False),
            ),
            models.Index(
                fields=["artifact"],
                name="call_by_artifact",
                condition=Q(artifact__isnull=False),
            ),
            # Names may be too long for an index, so it contains only their beginning.
            models.Index(
                F("project"),
                Left("artifact_name", NAME_INDEXED),
                F("at").desc(),
                F("order").desc(),
                name="call_by_artifact_name",
                condition=~Q(artifact_name=""),
            ),
            models.Index(
                F("project"),
                Left("artifact_read", NAME_INDEXED),
                F("at").desc(),
                F("order").desc(),
                name="call_by_artifact_read",
                condition=~Q(artifact_read=""),
            ),
            # Few calls would be denied, and those of a version are counted, in total or over a
            # period.
            models.Index(
                fields=["version", "environment", "tool", "agent", "at"],
                name="call_would_be_denied_at",
                condition=Q(would_deny=True),
            ),
            # Few calls request approval, and approvals look theirs up among all calls at that time.
            models.Index(
                fields=["project", "at"],
                name="call_that_asked",
                condition=Q(approval_requested=True),
            ),
            # Disagreements are also queried by time.
            models.Index(
                fields=["project", "at"],
                name="call_that_disagrees",
                condition=Q(disagreement=True),
            ),
        ]

    def __str__(self) -> str:
        return self.call_id
