"""The audit log: append-only, each entry bound to the one before it by a hash."""

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
        """The details that say something, in words."""
        return [
            (
                name.replace("_", " "),
                " ".join(map(str, value)) if isinstance(value, list) else str(value),
            )
            for name, value in self.details.items()
            if value or (isinstance(value, int) and not isinstance(value, bool))
        ]
