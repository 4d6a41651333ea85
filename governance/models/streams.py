"""What the stream has told agents that name no bundle of their own."""

from django.db import models

from governance.models.projects import Environment


class ToldAssignment(models.Model):
    """The bundle that an agent was told to be its assignment.

    When it comes back it names that one as if it had chosen it: only this row tells the two apart.
    """

    environment = models.ForeignKey(Environment, models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128)
    bundle_name = models.CharField(max_length=128)
    at = models.DateTimeField()

    class Meta:
        ordering = ["agent"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "agent"], name="one_told_assignment_per_agent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent}: {self.bundle_name}"
