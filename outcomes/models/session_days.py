"""Session counts by day of the last call, for the filters of a session list too long to count row
by row.

A day is counted some time after it has ended. Code that changes a session of a counted day records
that in the same commit; until the day is recounted, its sessions are counted row by row.
"""

from django.db import models


class SessionDay(models.Model):
    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_index=False
    )
    day = models.IntegerField()  # days since 1970, in UTC
    sessions = models.PositiveIntegerField()
    groups = models.BinaryField()  # parsed by codec/session_days.py

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "day"], name="one_count_of_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.sessions} sessions of day {self.day}"


class SessionDayChange(models.Model):
    """A session of this day changed since the day was counted."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    day = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.pk}: day {self.day}"
