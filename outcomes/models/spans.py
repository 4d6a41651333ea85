"""Counts of OpenTelemetry spans. Spans that are not tool calls are not stored."""

from django.db import models


class SpanTotal(models.Model):
    """Span counts of one project, environment and day (UTC)."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    day = models.DateField()
    tool_spans = models.BigIntegerField(default=0)
    tool_calls = models.BigIntegerField(default=0)
    other_spans = models.BigIntegerField(default=0)
    rejected_spans = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["-day", "environment"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "environment", "day"],
                name="one_span_total_per_environment_and_day",
            )
        ]

    def __str__(self) -> str:
        return f"{self.day}: {self.tool_calls} calls"
