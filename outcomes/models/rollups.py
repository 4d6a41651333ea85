"""Counts by minute, kept in step with the calls: one table by tool, one by agent.

The product of both would be ten times the rows, and no chart crosses them.
"""

from django.db import models


class Minute(models.Model):
    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment",
        models.CASCADE,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    minute = models.DateTimeField()
    kind = models.CharField(max_length=18, blank=True)
    verdict = models.CharField(max_length=7, blank=True)
    reason = models.CharField(max_length=64, blank=True)  # how a denial's reason begins
    calls = models.BigIntegerField()
    disagreements = models.BigIntegerField()

    class Meta:
        abstract = True


class ToolMinute(Minute):
    tool = models.ForeignKey(
        "outcomes.Tool", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "minute", "tool", "kind", "verdict", "reason"],
                name="one_count_per_tool_and_minute",
            )
        ]

    def __str__(self) -> str:
        return f"{self.minute} {self.tool_id}"


class AgentMinute(Minute):
    agent = models.ForeignKey(
        "outcomes.Agent", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "minute", "agent", "kind", "verdict", "reason"],
                name="one_count_per_agent_and_minute",
            )
        ]
        indexes = [
            models.Index(fields=["environment", "agent", "minute"], name="minutes_of_an_agent")
        ]

    def __str__(self) -> str:
        return f"{self.minute} {self.agent_id}"
