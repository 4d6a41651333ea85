"""Inbox of acknowledged batches, and rejected items."""

from django.db import models
from django.db.models import Q

BATCH_ITEMS = 1_000  # at most so many items in one row
ORDERS_PER_BATCH = (
    1_024  # an item's order of acceptance is its batch's id times this, plus its index
)
TRIES = 3  # a batch that failed so often is set aside
# So often a worker may die over a batch alone. More, because it may have been somebody who ended
# the worker, for reasons of his own, and again, and again.
DEATHS = 5

STORE, MISSING = "store", "missing"
FAULTS = [
    (STORE, "the artifact store cannot be read or written"),
    (MISSING, "an artifact is missing on this host"),
]


class Batch(models.Model):
    """Acknowledged items of one post, compressed. The row's presence means: not settled yet."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128, blank=True)  # of the header; an item's own comes first
    # The agents that the key may speak for, as a glob; empty: any.
    bound_to = models.CharField(max_length=128, blank=True, default="", db_default="")
    source = models.CharField(
        max_length=8, choices=[("outcomes", "outcomes"), ("events", "events")]
    )
    items = models.PositiveIntegerField()
    body = models.BinaryField()
    received_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)  # alone, because something went wrong before
    error = models.TextField(blank=True)
    # What is wrong with the place where it was settled: it waits for as long as that lasts.
    fault = models.CharField(max_length=8, choices=FAULTS, blank=True, default="", db_default="")
    set_aside_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["project", "id"], name="batch_by_project"),
            models.Index(fields=["id"], name="batch_waiting", condition=Q(set_aside_at=None)),
            models.Index(
                fields=["next_try_at"],
                name="batch_to_try_alone",
                condition=Q(set_aside_at=None, next_try_at__isnull=False),
            ),
            models.Index(
                fields=["project", "id"],
                name="batch_set_aside",
                condition=Q(set_aside_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.pk}"


class RejectedItem(models.Model):
    """An item that was refused by itself, with its place, the reason and how it began."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128, blank=True)
    source = models.CharField(
        max_length=8, choices=[("outcomes", "outcomes"), ("events", "events")]
    )
    index = models.PositiveIntegerField()
    code = models.CharField(max_length=64)
    detail = models.TextField()
    excerpt = models.BinaryField()  # the first bytes as they came: they may be no text at all
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["project", "-id"], name="rejected_by_project")]

    def __str__(self) -> str:
        return f"item {self.index}: {self.code}"
