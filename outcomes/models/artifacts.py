"""Artifacts, and the calls of an environment that refer to them.

The content is in the artifact store under the same SHA-256.
"""

from django.db import models
from django.db.models import F


class Artifact(models.Model):
    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    media_type = models.CharField(max_length=128)
    created_at = models.DateTimeField()
    # Requests with agents' keys, for all of it or a part.
    fetches = models.BigIntegerField(default=0, db_default=0)
    fetched_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)  # by retention; the row is kept as a record

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["project", "sha256"], name="one_artifact_per_content")
        ]

    def __str__(self) -> str:
        return self.sha256


class ArtifactStoreMark(models.Model):
    """One row: the id of this installation, also stored in its artifact store."""

    mark = models.CharField(max_length=32)

    def __str__(self) -> str:
        return self.mark


class ArtifactUse(models.Model):
    """Use of an artifact in one environment, under the name that its calls give."""

    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey(
        "governance.Project", models.CASCADE, related_name="+", db_index=False
    )
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    digest = models.BinaryField(max_length=16)  # of the name
    name = models.TextField()
    artifact = models.ForeignKey(  # none: stored by the agent
        "outcomes.Artifact", models.SET_NULL, related_name="uses", null=True
    )
    size_bytes = models.BigIntegerField(default=0)  # as reported by the agent, if it stores it
    calls = models.BigIntegerField(default=0)  # that refer to it
    reads = models.BigIntegerField(default=0)  # calls that read it again
    first_at = models.DateTimeField(null=True)  # of calls that refer to it
    last_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-last_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "digest"], name="one_use_per_environment_and_name"
            )
        ]
        indexes = [
            # Covers all columns that counts over a period need, so that they never read rows.
            models.Index(
                fields=["project", "-last_at", "-id"],
                include=["environment", "artifact", "size_bytes", "calls", "reads", "first_at"],
                name="use_by_time",
            ),
            models.Index(F("project"), F("size_bytes").desc(), F("id").desc(), name="use_by_size"),
            models.Index(F("project"), F("calls").desc(), F("id").desc(), name="use_by_calls"),
            models.Index(F("project"), F("reads").desc(), F("id").desc(), name="use_by_reads"),
        ]

    def __str__(self) -> str:
        return self.name


class ArtifactMaker(models.Model):
    """An agent whose calls refer to an artifact."""

    id = models.BigAutoField(primary_key=True)
    use = models.ForeignKey(
        "outcomes.ArtifactUse", models.CASCADE, related_name="makers", db_index=False
    )
    agent = models.ForeignKey("outcomes.Agent", models.CASCADE, related_name="+", db_index=False)
    calls = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["use", "agent"], name="one_maker_per_use_and_agent")
        ]
        indexes = [models.Index(fields=["agent", "use"], name="uses_of_an_agent")]

    def __str__(self) -> str:
        return f"{self.agent_id} of {self.use_id}"


class ArtifactTotal(models.Model):
    """Totals of the artifact uses of an environment.

    They are sharded over several rows, so that concurrent writers seldom wait for each other.
    """

    id = models.BigAutoField(primary_key=True)
    environment = models.ForeignKey(
        "governance.Environment", models.CASCADE, related_name="+", db_index=False
    )
    part = models.PositiveSmallIntegerField()
    artifacts = models.BigIntegerField(default=0)
    stored = models.BigIntegerField(default=0)  # of `artifacts`
    read = models.BigIntegerField(default=0)  # of `artifacts`, by later calls
    size_bytes = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["environment", "part"], name="one_total_of_a_part")
        ]

    def __str__(self) -> str:
        return f"{self.artifacts} artifacts"
