"""Documents for agents: renderings, signing keys, assignments and stops."""

from django.db import models
from django.db.models import Q

from governance.models.contracts import Bundle, BundleVersion
from governance.models.projects import Environment, Project

DIALECTS = [("old", "old"), ("new", "new")]


class Rendering(models.Model):
    """A version in one dialect, never regenerated: agents send its hash with every event."""

    version = models.ForeignKey(BundleVersion, models.CASCADE, related_name="renderings")
    dialect = models.CharField(max_length=3, choices=DIALECTS)
    document = models.BinaryField()
    revision_hash = models.CharField(max_length=64, db_index=True)

    class Meta:
        ordering = ["version", "dialect"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "dialect"], name="one_rendering_per_version_and_dialect"
            )
        ]

    def __str__(self) -> str:
        return f"{self.version} ({self.dialect})"


class SigningKey(models.Model):
    """Ed25519 key pair. The private half is encrypted, so a copy of the database can't sign."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="signing_keys")
    public_key = models.CharField(max_length=64)  # hex digits, as in the agents' configuration
    sealed = models.BinaryField()
    author = models.CharField(max_length=320)
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["project"],
                condition=Q(retired_at=None),
                name="one_signing_key_in_use_per_project",
            )
        ]

    def __str__(self) -> str:
        return self.public_key


class Signature(models.Model):
    """Signature of one key over the bytes with this hash."""

    key = models.ForeignKey(SigningKey, models.CASCADE, related_name="signatures")
    revision_hash = models.CharField(max_length=64)
    value = models.BinaryField(max_length=64)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["key", "revision_hash"], name="one_signature_per_key_and_bytes"
            )
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.revision_hash}"


class Assignment(models.Model):
    """Default bundle of agents that name none. Never edited: a change ends it and adds another."""

    environment = models.ForeignKey(Environment, models.CASCADE, related_name="assignments")
    bundle = models.ForeignKey(Bundle, models.CASCADE, related_name="assignments")
    agent = models.CharField(max_length=128)  # a glob
    tags = models.JSONField()
    tags_digest = models.CharField(max_length=64)  # tags may be too long for an index
    priority = models.IntegerField(default=0)
    author = models.CharField(max_length=320)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "agent", "tags_digest"],
                condition=Q(ended_at=None),
                name="one_assignment_per_environment_agent_and_tags",
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent} in {self.environment}"


class Stop(models.Model):
    """Emergency stop. Until it is lifted, its agents get only the block-all document."""

    environment = models.ForeignKey(Environment, models.CASCADE, related_name="stops")
    agent = models.CharField(max_length=128, blank=True)  # empty: the whole environment
    author = models.CharField(max_length=320)
    created_at = models.DateTimeField()
    lifted_by = models.CharField(max_length=320, blank=True)
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "agent"],
                condition=Q(lifted_at=None),
                name="one_stop_at_a_time_per_environment_and_agent",
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent or 'everything'} in {self.environment}"


class Fetches(models.Model):
    """Last three times that an agent on the older URL prefix fetched its document.

    An agent that expects the new dialect there fails before its first event, and fetches again.
    """

    environment = models.ForeignKey(Environment, models.CASCADE, related_name="+")
    agent = models.CharField(max_length=128)
    key = models.ForeignKey("governance.ApiKey", models.CASCADE, related_name="+")
    third_last_at = models.DateTimeField(null=True)
    second_last_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-last_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "agent"], name="fetches_of_an_agent_once_per_environment"
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent} in {self.environment}"
