"""API keys: shown once, kept as a SHA-256, found by it."""

from django.db import models

from governance.models.people import User
from governance.models.projects import Environment, Project


class ApiKey(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="keys")
    environment = models.ForeignKey(Environment, models.PROTECT, related_name="keys")
    name = models.CharField(max_length=128)
    hint = models.CharField(
        max_length=160
    )  # `edk_production_ab12…`: enough to recognise, no use to steal
    digest = models.BinaryField(max_length=32, unique=True)
    scopes = models.JSONField()
    agent = models.CharField(max_length=128, blank=True)  # a glob; empty: any agent
    assigned_only = models.BooleanField(default=False)
    dialect = models.CharField(max_length=3, blank=True, choices=[("old", "old"), ("new", "new")])
    created_by = models.CharField(max_length=254)
    # The person behind whoever made it; none: the console made it.
    maker = models.ForeignKey(User, models.PROTECT, related_name="keys_made", null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name
