"""Projects, the tenants that everything belongs to, and their environments."""

from django.core.validators import RegexValidator
from django.db import models

ENVIRONMENT_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\Z"


class Project(models.Model):
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=128)
    created_at = models.DateTimeField(auto_now_add=True)
    max_key_days = models.PositiveSmallIntegerField(null=True)  # None: no limit
    # Show pages only to people who signed in with a second factor.
    second_factor = models.BooleanField(default=False, db_default=False)
    success_target = models.FloatField(null=True)  # success rate, 0 to 1; None: no target
    is_demo = models.BooleanField(
        default=False, db_default=False
    )  # simulated traffic, removable as a whole

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Environment(models.Model):
    """Environment, created by the first key, deployment or binding that names it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="environments")
    name = models.CharField(max_length=128, validators=[RegexValidator(ENVIRONMENT_NAME)])

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], name="one_environment_per_project_and_name"
            )
        ]

    def __str__(self) -> str:
        return self.name
