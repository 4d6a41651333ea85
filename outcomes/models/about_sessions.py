"""Session data other than calls: its parent, people's notes, its pending removal, and snapshots of
the state of long ones."""

from django.db import models


class ChildSession(models.Model):
    """A session whose calls name another session as their parent, stored here or not."""

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    parent_digest = models.BinaryField(max_length=16)  # of the parent's session id
    parent = models.TextField()
    session = models.ForeignKey("outcomes.Session", models.CASCADE, related_name="parents")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "parent_digest", "session"],
                name="one_child_session_per_parent",
            )
        ]

    def __str__(self) -> str:
        return f"{self.session_id} of {self.parent}"


class SessionNote(models.Model):
    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey("outcomes.Session", models.CASCADE, related_name="notes")
    author = models.CharField(max_length=320)
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"note {self.pk}"


class SessionMark(models.Model):
    """Snapshot of a long session after some of its calls. Late calls are replayed from it."""

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(
        "outcomes.Session", models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    number = models.PositiveIntegerField()  # of the last call included
    at = models.DateTimeField()  # of that call
    state = models.TextField()  # JSON; `queries.session_standing` parses it

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "number"], name="one_mark_per_session_and_number"
            )
        ]

    def __str__(self) -> str:
        return f"mark at call {self.number}"


class SessionRemoval(models.Model):
    """Pending removal of a session. The row exists until all of the session is removed."""

    id = models.BigAutoField(primary_key=True)
    session = models.OneToOneField("outcomes.Session", models.CASCADE, related_name="removal")
    asked_by = models.CharField(max_length=320)
    requested_at = models.DateTimeField()
    calls = models.BigIntegerField(default=0)  # removed so far, like the next two
    events = models.BigIntegerField(default=0)
    artifacts = models.BigIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)  # failed ones
    next_try_at = models.DateTimeField(null=True)
    keeps_sums = models.BooleanField(default=False, db_default=False)  # removal by retention

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"removal {self.pk}"
