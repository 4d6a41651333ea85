"""Calls that were settled before something was kept of them, and are still to be looked through."""

from django.db import models


class OldCalls(models.Model):
    """The row's presence means: not all of these have been looked at yet."""

    id = models.BigAutoField(primary_key=True)
    up_to = models.BigIntegerField(default=0)  # the newest call that was looked at
    until = models.BigIntegerField()  # the newest that is to be
    tries = models.PositiveIntegerField(default=0)  # that failed
    next_try_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"calls up to {self.until}"
