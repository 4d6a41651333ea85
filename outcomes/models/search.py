"""Search index: postings of tokens, one row per indexed call, and the backlog of events.

A token is a digest of a project and a word or value, so one index serves all projects. Times are
microseconds since 1970, so that both databases sort and compare them as numbers.
"""

from django.db import models

from outcomes.models.jobs import SAYS_WHEN_IT_ENDED, WAITING, Job


class Posting(models.Model):
    """A token of a call. The primary key is the index, which stores a token's calls by time."""

    pk = models.CompositePrimaryKey("token", "at", "call")
    token = models.BigIntegerField()
    at = models.BigIntegerField()
    call = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.token} in {self.call}"


class Principal(models.Model):
    """Name of the principal on whose behalf calls were made."""

    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=16)
    name = models.TextField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "digest"], name="one_principal_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class IndexedCall(models.Model):
    """Index entries of a call, so that exactly these can be changed and removed."""

    id = models.BigIntegerField(primary_key=True)  # of the call
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_constraint=False, db_index=False
    )
    at = models.BigIntegerField()
    principal = models.ForeignKey(
        "outcomes.Principal",
        models.CASCADE,
        related_name="+",
        null=True,
        db_constraint=False,
        db_index=False,
    )
    tokens = models.BinaryField()  # 8 bytes each

    class Meta:
        indexes = [
            models.Index(fields=["project", "at", "principal"], name="indexed_call_by_time"),
            models.Index(
                fields=["principal", "at"],
                name="indexed_call_by_principal",
                condition=models.Q(principal__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"call {self.pk}"


class UnindexedEvents(models.Model):
    """Events written by one settling transaction and not indexed yet."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    first = models.BigIntegerField()  # event ids, inclusive
    last = models.BigIntegerField()
    events = models.PositiveIntegerField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"events {self.first} to {self.last}"


class SearchIndex(Job):
    """Index of a project: the backfill job and its progress."""

    project = models.OneToOneField("governance.Project", models.CASCADE, related_name="+")
    # Calls before this position, in list order, are not indexed yet; 0: all are.
    before = models.BigIntegerField(default=0)  # microseconds since 1970
    before_order = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                name="a_search_index_that_ended_says_when", condition=SAYS_WHEN_IT_ENDED
            )
        ]
        indexes = [models.Index(fields=["id"], name="search_index_that_waits", condition=WAITING)]

    def __str__(self) -> str:
        return f"search index of {self.project_id}"
