"""The SDKs' session store: small values by key, most of them counters."""

from django.db import models
from django.db.models import Q


class StoredValue(models.Model):
    """An integer or a text, looked up by the SHA-256 of its key, which is too long for an index.

    Updating a value changes no indexed column: each would be another page to write on SQLite, and
    would prevent an in-place update on PostgreSQL.
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
    used_on = models.DateField()  # date of the last write

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
    """A session started by a key bound to some agents, and reserved for keys with this binding."""

    pk = models.CompositePrimaryKey("environment", "session")
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    session = models.BinaryField(max_length=16)  # digest of its id, or of a key outside any session
    bound_to = models.CharField(max_length=128)  # a glob of agents
    used_on = models.DateField()  # date of the last use by such a key

    def __str__(self) -> str:
        return self.bound_to
