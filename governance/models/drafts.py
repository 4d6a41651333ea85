"""Drafts: a person's changes to a contract or check that are not saved as a version yet."""

from django.db import models

from governance.models.checks import Check
from governance.models.contracts import Bundle
from governance.models.people import User
from governance.models.projects import Project
from governance.texts.notation import revision_of


class DraftText(models.Model):
    """Fields shared by drafts of contracts and of checks."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="%(class)ss")
    person = models.ForeignKey(User, models.CASCADE, related_name="%(class)ss")
    base = models.PositiveIntegerField(default=0)  # the version it is based on; 0: none
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    kept_at = models.DateTimeField()

    class Meta:
        abstract = True
        ordering = ["-kept_at", "-id"]

    @property
    def revision(self) -> str:
        return revision_of(self.text, self.base)


class Draft(DraftText):
    bundle = models.ForeignKey(  # None: a new contract
        Bundle, models.CASCADE, related_name="drafts", null=True
    )

    class Meta(DraftText.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["person", "bundle"], name="one_draft_per_person_and_bundle"
            )
        ]

    def __str__(self) -> str:
        return f"draft of {self.bundle or 'a new contract'}"


class CheckDraft(DraftText):
    success_check = models.ForeignKey(  # None: a new check
        Check, models.CASCADE, related_name="drafts", null=True
    )
    # Names of included checks that it uses in a newer version than its base version does.
    newer = models.JSONField(default=list, db_default=[])

    class Meta(DraftText.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["person", "success_check"], name="one_draft_per_person_and_check"
            )
        ]

    def __str__(self) -> str:
        # A contract may have the same name, and the log must distinguish them.
        return (
            f"draft of the check {self.success_check}"
            if self.success_check
            else "draft of a new check"
        )
