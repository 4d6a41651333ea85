"""Assignments announced over the stream to agents that name no bundle."""

from django.db import models

from governance.models.projects import Environment


class AnnouncedAssignment(models.Model):
    """A bundle that an agent was once told to be its assignment.

    When it comes back it names one of these as if it had chosen it, and not always the latest, for
    it may have failed to load that: only these rows tell its choice from its assignment.
    """

    environment = models.ForeignKey(Environment, models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128)
    bundle_name = models.CharField(max_length=128)
    at = models.DateTimeField()  # when it was told, or its agent came back

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
