"""Assignments announced over the stream to agents that name no bundle."""

from django.db import models

from governance.models.projects import Environment


class AnnouncedAssignment(models.Model):
    """A bundle that was once announced to an agent as its assignment.

    When it reconnects, the agent names one of these as if it had chosen it; not always the latest,
    which it may have failed to load. Only these rows distinguish a choice from an assignment.
    """

    environment = models.ForeignKey(Environment, models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128)
    bundle_name = models.CharField(max_length=128)
    at = models.DateTimeField()  # announced, or the agent last reconnected

    class Meta:
        ordering = ["agent"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "agent", "bundle_name"],
                name="an_assignment_is_announced_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent}: {self.bundle_name}"
