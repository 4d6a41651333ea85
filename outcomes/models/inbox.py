"""Inbox of acknowledged batches, and rejected items."""

from django.db import models
from django.db.models import Q

BATCH_ITEMS = 1_000  # maximum per row
ORDERS_PER_BATCH = 1_024  # order of acceptance = batch id times this + item index
TRIES = 3  # a batch is set aside after this many failures
# A worker may die this often over a single batch. More often than TRIES, because a person may have
# killed the worker repeatedly for other reasons.
DEATHS = 5

STORE, MISSING = "store", "missing"
FAULTS = [
    (STORE, "the artifact store cannot be read or written"),
    (MISSING, "an artifact is missing on this host"),
]


class Batch(models.Model):
    """Acknowledged items of one post, compressed. The row exists until they are settled."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    environment = models.ForeignKey("governance.Environment", models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128, blank=True)  # from the header; items take precedence
    # Glob of agents that the key may report for; empty: any.
    bound_to = models.CharField(max_length=128, blank=True, default="", db_default="")
    source = models.CharField(
        max_length=8, choices=[("outcomes", "outcomes"), ("events", "events")]
    )
    items = models.PositiveIntegerField()
    body = models.BinaryField()
    received_at = models.DateTimeField()
    tries = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(null=True)  # it failed before, so it is retried alone
    error = models.TextField(blank=True)
    # Fault of the store, not of the batch: the batch waits as long as it lasts.
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
    """Rejected item with its index, the reason and its beginning."""

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
    excerpt = models.BinaryField()  # first bytes as sent, which may not be valid text
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["project", "-id"], name="rejected_by_project")]

    def __str__(self) -> str:
        return f"item {self.index}: {self.code}"
