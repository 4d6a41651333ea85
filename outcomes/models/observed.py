"""Reviews of calls that an observed rule would have denied."""

from django.db import models


class TickedLine(models.Model):
    """Review of one rule, tool and agent, under one version in one environment.

    Stores names instead of foreign keys: calls, and the rows they refer to, may be removed earlier.
    """

    version = models.ForeignKey("governance.BundleVersion", models.CASCADE, related_name="+")
    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)  # of the three names, too long for an index
    rule = models.TextField()
    tool = models.TextField()
    agent = models.TextField()
    calls = models.PositiveIntegerField()  # calls reviewed
    up_to = models.BigIntegerField()  # id of the newest of them; later calls have higher ids
    author = models.CharField(max_length=320)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "environment", "digest"], name="a_line_is_ticked_off_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.rule} on {self.tool} of {self.agent}"
