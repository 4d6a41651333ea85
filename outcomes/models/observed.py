"""Reviews of calls that an observed rule would have denied."""

from django.db import models


class TickedLine(models.Model):
    """One rule on one tool of one agent, under one version in one environment.

    Names instead of rows: calls, and with them what named them, may leave before this does.
    """

    version = models.ForeignKey("governance.BundleVersion", models.CASCADE, related_name="+")
    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)  # of the three names, which an index may not hold
    rule = models.TextField()
    tool = models.TextField()
    agent = models.TextField()
    calls = models.PositiveIntegerField()  # as many as were looked at then
    up_to = models.BigIntegerField()  # the newest of them; those that come later have a higher id
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
