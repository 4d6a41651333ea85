"""Facts about a session besides its calls: its parent, notes of people, its pending removal, and
the state of a long one at points in between."""

from django.db import models


class ChildSession(models.Model):
    """A session whose calls name another as their parent, be that one here or not."""

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    parent_digest = models.BinaryField(max_length=16)  # of its session id
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
    """How a long session stood after so many of its calls: a late one is read from there on."""

    id = models.BigAutoField(primary_key=True)
    session = models.ForeignKey(
        "outcomes.Session", models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    number = models.PositiveIntegerField()  # of the last call that is in it
    at = models.DateTimeField()  # of that call
    state = models.TextField()  # as JSON: `queries.session_standing` knows it

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "number"], name="one_mark_per_session_and_number"
            )
        ]

    def __str__(self) -> str:
        return f"mark at call {self.number}"


class SessionRemoval(models.Model):
    """The row's presence means: not all of the session is gone yet."""

    id = models.BigAutoField(primary_key=True)
    session = models.OneToOneField("outcomes.Session", models.CASCADE, related_name="removal")
    asked_by = models.CharField(max_length=320)
    requested_at = models.DateTimeField()
    calls = models.BigIntegerField(default=0)  # that went so far, as all of these
    events = models.BigIntegerField(default=0)
    artifacts = models.BigIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)  # that failed
    next_try_at = models.DateTimeField(null=True)
    keeps_sums = models.BooleanField(default=False, db_default=False)  # retention removes it

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"removal {self.pk}"
