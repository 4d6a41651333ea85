"""People: a user is identified by email; a member is a user with a role in a project."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower

from governance.core.roles import Role
from governance.models.projects import Project


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser):
    email = models.EmailField(max_length=254, unique=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    name = models.CharField(max_length=128, blank=True, default="", db_default="")
    # A name such as Europe/Berlin; empty: the browser's time zone.
    zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    # Default time range of pages; empty: the console's default.
    time_range = models.CharField(max_length=8, blank=True, default="", db_default="")
    single_keys = models.BooleanField(default=True, db_default=True)  # shortcuts on pages

    belongs_to: "list[Member] | None" = None  # set if loaded together with the user

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()

    class Meta:
        ordering = ["email"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(email=Lower("email")), name="an_email_is_kept_in_lower_case"
            )
        ]

    def __str__(self) -> str:
        return self.email


class Member(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    # Roles by environment name, above the project role.
    environment_roles = models.JSONField(default=dict, db_default={})
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["user__email"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "user"], name="one_membership_per_project_and_user"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"

    def roles_there(self) -> tuple[tuple[str, Role], ...]:
        """Environments with roles above the project role."""
        own = Role(self.role)
        roles = ((name, Role(role)) for name, role in sorted(self.environment_roles.items()))
        return tuple((name, role) for name, role in roles if not own.reaches(role))


class Invitation(models.Model):
    """One-time link for set-up or for a new member, stored as the SHA-256 of its token."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="invitations")
    email = models.EmailField(
        max_length=254, blank=True
    )  # empty for a set-up link, which is valid for anyone who has it
    role = models.CharField(max_length=16, choices=[(role.value, role.value) for role in Role])
    digest = models.BinaryField(max_length=32, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.email or "set-up link"
