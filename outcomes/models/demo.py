"""The filling of a demo project: how far its simulated agents are."""

from django.db import models

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, Job


class DemoRun(Job):
    """One for each demo project; `passed` and `total` count the sessions of its agents."""

    project = models.OneToOneField("governance.Project", models.CASCADE, related_name="+")
    calls = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(name="a_demo_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED)
        ]

    def __str__(self) -> str:
        return f"demo in {self.project_id}"
