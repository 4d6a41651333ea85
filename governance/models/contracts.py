"""Contracts: immutable versions, and the deployments that make one current."""

from django.db import models

from governance.models.projects import Environment, Project


class Bundle(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="bundles")
    name = models.CharField(max_length=128)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], name="one_bundle_per_project_and_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class BundleVersion(models.Model):
    """One immutable save: the bytes as written, and the session rules parsed from them."""

    bundle = models.ForeignKey(Bundle, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    document = models.BinaryField()
    revision_hash = models.CharField(max_length=64, db_index=True)
    dialect = models.CharField(max_length=3, choices=[("old", "old"), ("new", "new")])
    session_rules = models.JSONField()  # as parsed by the engine: [{"id", "limits", "mode"}]
    author = models.CharField(max_length=254)
    message = models.CharField(max_length=2000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["bundle", "number"], name="one_version_per_bundle_and_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.bundle} v{self.number}"


class Deployment(models.Model):
    """Makes one version of a bundle current in one environment; the newest one counts."""

    version = models.ForeignKey(BundleVersion, models.CASCADE, related_name="deployments")
    environment = models.ForeignKey(Environment, models.CASCADE, related_name="deployments")
    author = models.CharField(max_length=254)
    approved_by = models.CharField(  # a second person
        max_length=320, blank=True, default="", db_default=""
    )
    override = models.CharField(  # reason to deploy despite failing tests
        max_length=2000, blank=True, default="", db_default=""
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.version} in {self.environment}"
