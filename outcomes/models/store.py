"""The SDKs' session store: small values by key, most of them counters."""

from django.db import models
from django.db.models import Q


class StoredValue(models.Model):
    """An integer, or any other text; found by the SHA-256 of its key, which no index could hold.

    Writing to a key that is there changes nothing that an index holds: on SQLite each would be a
    page more to write, on PostgreSQL a new row in place of a changed one.
    """

    pk = models.CompositePrimaryKey("environment", "digest")
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    digest = models.BinaryField(max_length=32)
    key = models.TextField()
    session = models.BinaryField(max_length=16, null=True)  # digest of the session it belongs to
    number = models.BigIntegerField(null=True)
    text = models.BinaryField(null=True)  # UTF-8: NUL is legal in a value
    used_on = models.DateField()  # when it was last written

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="a_stored_value_is_a_number_or_a_text",
                condition=Q(number=None) ^ Q(text=None),
            )
        ]
        indexes = [models.Index(fields=["environment", "session"], name="stored_value_by_session")]

    def __str__(self) -> str:
        return self.key


class SessionOwner(models.Model):
    """A session that a key bound to some agents began: it is for keys with this binding."""

    pk = models.CompositePrimaryKey("environment", "session")
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    session = models.BinaryField(max_length=16)  # digest of its id, or of a key of no session
    bound_to = models.CharField(max_length=128)  # a glob of agents
    used_on = models.DateField()  # when such a key used it last

    def __str__(self) -> str:
        return self.bound_to
