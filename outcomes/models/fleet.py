"""Fleet of agents: the newest call of each, and its reports."""

from django.db import models


class AgentSeen(models.Model):
    """Newest call of an agent in an environment, written in the same transaction as calls.

    It is never set back, even if the call turns out to be older or another agent's: this agent did
    report it. Call and time are null if the agent has made contact but no calls yet.
    """

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    agent = models.ForeignKey(
        "outcomes.Agent", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    at = models.DateTimeField(null=True)
    call = models.ForeignKey(
        "outcomes.Call",
        models.DO_NOTHING,
        related_name="+",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    heard_at = models.DateTimeField(null=True)  # other contact: it opened a stream or sent a report

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "agent"], name="one_newest_call_per_environment_and_agent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} at {self.at}"


class AgentReport(models.Model):
    """Report of an agent's own tools: a scan of its skills, or the rules that it has loaded."""

    class Kind(models.TextChoices):
        SKILL_SCAN = "skill_scan"
        MANIFEST = "manifest"

    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    agent = models.ForeignKey("outcomes.Agent", models.CASCADE, related_name="reports")
    kind = models.CharField(max_length=10, choices=Kind)
    digest = models.BinaryField(max_length=32)  # equal if the same report is sent again
    size = models.PositiveIntegerField()
    body = models.BinaryField()  # JSON as sent, which may contain NUL
    received_at = models.DateTimeField()
    last_at = models.DateTimeField()  # when it was last sent

    class Meta:
        ordering = ["-last_at", "-id"]
        indexes = [
            models.Index(
                fields=["environment", "agent", "kind", "-last_at"], name="report_by_agent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.agent}"
