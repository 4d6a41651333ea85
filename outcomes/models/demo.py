"""Seeding of a demo project, with the progress of its simulated agents."""

from django.db import models

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, Job


class DemoRun(Job):
    """One run per demo project. `passed` and `total` count its agents' sessions."""

    project = models.OneToOneField("governance.Project", models.CASCADE, related_name="+")
    calls = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(name="a_demo_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED)
        ]

    def __str__(self) -> str:
        return f"demo in {self.project_id}"
