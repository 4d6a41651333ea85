"""API keys: shown once, stored and looked up as a SHA-256 digest."""

from django.db import models

from governance.models.people import User
from governance.models.projects import Environment, Project


class ApiKey(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="keys")
    environment = models.ForeignKey(Environment, models.PROTECT, related_name="keys")
    name = models.CharField(max_length=128)
    hint = models.CharField(
        max_length=160
    )  # `edk_production_ab12…`: enough to identify the key, not to use it
    digest = models.BinaryField(max_length=32, unique=True)
    scopes = models.JSONField()
    agent = models.CharField(max_length=128, blank=True)  # a glob; empty: any agent
    assigned_only = models.BooleanField(default=False)
    dialect = models.CharField(max_length=3, blank=True, choices=[("old", "old"), ("new", "new")])
    created_by = models.CharField(max_length=254)
    # Person who created it, directly or with another key; None: the console.
    maker = models.ForeignKey(User, models.PROTECT, related_name="keys_made", null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    last_used_from = models.CharField(max_length=64, default="", db_default="")  # address
    revoked_at = models.DateTimeField(null=True)
    rotated_at = models.DateTimeField(null=True)
    # The value before the latest rotation remains valid for a while.
    previous_digest = models.BinaryField(max_length=32, unique=True, null=True)
    previous_until = models.DateTimeField(null=True)
    previous_used_at = models.DateTimeField(null=True)
    networks = models.JSONField(default=list, db_default=[])  # in CIDR form; empty: any
    requests_per_minute = models.PositiveIntegerField(null=True)  # None: no limit
    items_per_minute = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.name
