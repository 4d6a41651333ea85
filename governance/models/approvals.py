"""Approvals: pending calls and their decisions."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.utils import timezone

from governance.core.approval_status import OnTimeout, ShownArgument, Status, status_at
from governance.core.json_value import Json
from governance.models.projects import Environment, Project

_DECIDED = models.Q(status__in=["approved", "denied"])


class Approval(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="approvals", db_index=False)
    environment = models.ForeignKey(Environment, models.CASCADE, related_name="approvals")
    code = models.CharField(max_length=64, unique=True)  # id that agents poll with
    agent_id = models.CharField(max_length=128)
    session_id = models.TextField(blank=True)  # SDKs before 0.18 don't send it
    tool_name = models.TextField()
    arguments = models.TextField()  # unmasked JSON, read only when a person opens it
    shown = models.JSONField()  # masked, for display
    argument_count = models.PositiveIntegerField()
    message = models.TextField(blank=True)
    digest = models.BinaryField(max_length=32)  # equal for a retried request
    timeout_s = models.PositiveIntegerField()
    on_timeout = models.CharField(
        max_length=5, choices=[(each.value, each.value) for each in OnTimeout]
    )
    created_at = models.DateTimeField()
    # When the decision takes effect, some seconds after it was made; without one, the expiry.
    ends_at = models.DateTimeField()
    status = models.CharField(
        max_length=8,
        choices=[(each.value, each.value) for each in Status],
        default=Status.PENDING.value,
    )
    decided_by = models.CharField(max_length=320, blank=True)
    reason = models.CharField(max_length=2000, blank=True)
    delivered = models.BooleanField(  # the agent has the decision, which can't be undone any more
        default=False, db_default=False
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                name="an_approval_was_decided_by_somebody_or_by_nobody",
                condition=(_DECIDED & ~models.Q(decided_by=""))
                | (~_DECIDED & models.Q(decided_by="")),
            )
        ]
        indexes = [
            models.Index(fields=["project", "ends_at", "id"], name="approval_by_end"),
            models.Index(fields=["project", "-id"], name="approval_by_age"),
            models.Index(
                fields=["environment", "agent_id", "created_at"], name="approval_by_agent"
            ),
            models.Index(
                fields=["ends_at"], name="approval_waiting", condition=models.Q(status="pending")
            ),
            models.Index(
                fields=["environment", "digest"],
                name="approval_sent_again",
                condition=models.Q(status="pending"),
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def expires_at(self) -> datetime:
        return self.created_at + timedelta(seconds=self.timeout_s)

    # Time for which the status is reported to the agent; None: now.
    reported_at: datetime | None = None

    @property
    def current_status(self) -> Status:
        return self.status_as_of(self.reported_at or timezone.now())

    def status_as_of(self, now: datetime) -> Status:
        return status_at(Status(self.status), self.ends_at, now)

    def can_undo(self, now: datetime) -> bool:
        return bool(self.decided_by) and self.ends_at > now and not self.delivered

    @property
    def decided_at(self) -> datetime | None:
        return self.ends_at if self.decided_by else None

    @property
    def waited(self) -> timedelta:
        return self.ends_at - self.created_at

    def raw_arguments(self) -> Mapping[str, Json]:
        read: dict[str, Json] = json.loads(self.arguments)
        return read

    def shown_arguments(self) -> list[ShownArgument]:
        return [ShownArgument(**each) for each in self.shown]

    def more_arguments(self) -> int:
        return self.argument_count - len(self.shown)


def stored(shown: list[ShownArgument]) -> list[dict[str, Any]]:
    return [asdict(each) for each in shown]
