"""Audit log: append-only; each entry is chained to the previous one by a keyed hash."""

from django.db import models

from governance.core.actor import shown
from governance.models.projects import Project


class AuditEntry(models.Model):
    project = models.ForeignKey(Project, models.PROTECT, related_name="audit_entries")
    number = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=320)  # `person:<email>`, `key:<id> <name>` or `console`
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=512)
    details = models.JSONField(default=dict)
    address = models.CharField(max_length=64, default="", db_default="")  # of the request
    user_agent = models.CharField(max_length=256, default="", db_default="")
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "number"], name="one_audit_entry_per_project_and_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.action} {self.subject}"

    def who(self) -> str:
        return shown(self.actor)

    def details_in_words(self) -> list[tuple[str, str]]:
        """Non-empty details as text."""
        return [
            (
                name.replace("_", " "),
                " ".join(map(str, value)) if isinstance(value, list) else str(value),
            )
            for name, value in self.details.items()
            if value or (isinstance(value, int) and not isinstance(value, bool))
        ]


class AuditHead(models.Model):
    """Newest entry of the log at a point in time, signed with the project's key."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="audit_heads")
    number = models.PositiveBigIntegerField()
    hash = models.CharField(max_length=64)
    at = models.DateTimeField()
    public_key = models.CharField(max_length=64)  # hex digits
    signature = models.CharField(max_length=128)  # hex digits

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "number"], name="one_audit_head_per_project_and_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.hash}"


class AuditRemoval(models.Model):
    """Permission, checked by triggers, to delete the start of a log within one transaction."""

    project_number = models.PositiveBigIntegerField()
    up_to = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"project {self.project_number} up to {self.up_to}"


class AuditStream(models.Model):
    """Receiver of a log, with the last entry delivered to it."""

    project = models.OneToOneField(Project, models.CASCADE, related_name="audit_stream")
    url = models.CharField(max_length=512)
    sealed_token = models.BinaryField(default=bytes)  # empty: no Authorization header
    delivered = models.PositiveBigIntegerField(default=0)  # number of the last delivered entry
    delivered_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=512, default="")
    failed_since = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)  # consecutive
    due_at = models.DateTimeField()  # next attempt; a sender moves it forward as a lease

    def __str__(self) -> str:
        return self.url
