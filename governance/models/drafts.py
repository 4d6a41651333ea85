"""Drafts: what one person writes of a contract and has not saved as a version yet."""

from django.db import models

from governance.domain.written import revision_of
from governance.models.contracts import Bundle
from governance.models.people import User
from governance.models.projects import Project


class Draft(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="drafts")
    person = models.ForeignKey(User, models.CASCADE, related_name="drafts")
    bundle = models.ForeignKey(  # none: of a contract that is not there yet
        Bundle, models.CASCADE, related_name="drafts", null=True
    )
    base = models.PositiveIntegerField(default=0)  # the version that it grew from; 0: none
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    kept_at = models.DateTimeField()

    class Meta:
        ordering = ["-kept_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "bundle"], name="one_draft_per_person_and_bundle"
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.bundle or 'a new contract'}"

    @property
    def revision(self) -> str:
        return revision_of(self.text, self.base)
