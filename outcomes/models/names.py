"""Names that repeat in every row, stored once: agents and tools.

A name can have 1,024 characters, too many for an index, so each is looked up by a digest.
"""

from django.db import models


class Agent(models.Model):
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)
    name = models.TextField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="one_agent_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class Tool(models.Model):
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)
    name = models.TextField()
    success_target = models.FloatField(null=True)  # 0 to 1; none: the project's default

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="one_tool_per_name")
        ]

    def __str__(self) -> str:
        return self.name
