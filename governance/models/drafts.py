"""Drafts: what one person writes of a contract or a check and has not saved as a version yet."""

from django.db import models

from governance.models.checks import Check
from governance.models.contracts import Bundle
from governance.models.people import User
from governance.models.projects import Project
from governance.texts.notation import revision_of


class DraftText(models.Model):
    """Fields that drafts of contracts and of checks share."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="%(class)ss")
    person = models.ForeignKey(User, models.CASCADE, related_name="%(class)ss")
    base = models.PositiveIntegerField(default=0)  # the version that it grew from; 0: none
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
    bundle = models.ForeignKey(  # none: of a contract that is not there yet
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
    success_check = models.ForeignKey(  # none: of a check that is not there yet
        Check, models.CASCADE, related_name="drafts", null=True
    )
    # Names of included checks that it takes newer than the version does that it grew from.
    newer = models.JSONField(default=list, db_default=[])

    class Meta(DraftText.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["person", "success_check"], name="one_draft_per_person_and_check"
            )
        ]

    def __str__(self) -> str:
        # A contract may have the same name: the log tells the two apart.
        return (
            f"draft of the check {self.success_check}"
            if self.success_check
            else "draft of a new check"
        )
