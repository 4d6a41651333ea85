"""Named success checks: immutable versions, and bindings to the calls they apply to."""

import json
import zlib
from typing import cast

from django.db import models

from governance.core.compiled_check import Compiled
from governance.models.projects import Project


class Check(models.Model):
    project = models.ForeignKey(Project, models.CASCADE, related_name="checks")
    name = models.CharField(max_length=128)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"], name="one_check_per_project_and_name"
            )
        ]

    def __str__(self) -> str:
        return self.name


class CheckVersion(models.Model):
    """One immutable save: the bytes as written, and the compiled check."""

    # Not named `check`, because Django's models have a method of that name.
    success_check = models.ForeignKey(Check, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    document = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    packed = models.BinaryField()  # compiled check as compressed JSON, mostly tables
    description = models.CharField(max_length=2000, blank=True)
    rules = models.PositiveIntegerField()  # without those of included checks
    included = models.JSONField(default=list)  # [{"name", "version"}] at the time of saving
    author = models.CharField(max_length=254)
    message = models.CharField(max_length=2000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["success_check", "number"], name="one_version_per_check_and_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.success_check} v{self.number}"

    @property
    def name(self) -> str:
        return self.success_check.name

    @property
    def compiled(self) -> Compiled:
        return cast(Compiled, json.loads(zlib.decompress(self.packed)))

    @compiled.setter
    def compiled(self, value: Compiled) -> None:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self.packed = zlib.compress(text.encode())


class CheckBindings(models.Model):
    """Which check applies to which calls: one list per project, always replaced as a whole.

    The fixed last line is not stored: the default check applies to all other calls.
    """

    project = models.OneToOneField(Project, models.CASCADE, related_name="check_bindings")
    revision = models.PositiveIntegerField(default=0)
    lines = models.JSONField(default=list)  # [[environment, agent, tool, check]], first match wins
    changed_by = models.CharField(max_length=254, blank=True)
    changed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["project"]

    def __str__(self) -> str:
        return f"bindings of {self.project}, revision {self.revision}"
