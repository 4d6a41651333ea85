"""How many sessions there are of each kind, by the day of their last call: what the filters of
their list count where there are too many to count one by one.

A day is counted once it is over for good. Whoever changes a session of a day that may be counted
says so in the same commit; until the day is counted again, its sessions are counted themselves.
"""

from django.db import models


class SessionDay(models.Model):
    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_index=False
    )
    day = models.IntegerField()  # since 1970, in UTC
    sessions = models.PositiveIntegerField()
    groups = models.BinaryField()  # codec/session_days.py knows it

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "day"], name="one_count_of_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.sessions} sessions of day {self.day}"


class SessionDayChange(models.Model):
    """Something of this day changed since it was counted."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    day = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.pk}: day {self.day}"
