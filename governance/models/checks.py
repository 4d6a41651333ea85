"""Named success checks: immutable versions, and the bindings that say what they judge."""

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
    """One save, for ever: the bytes as they were written, and what they were compiled to."""

    # Not `check`: that is what Django calls its own look at a model.
    success_check = models.ForeignKey(Check, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    document = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    packed = models.BinaryField()  # the compiled check as JSON, most of it tables that pack well
    description = models.CharField(max_length=2000, blank=True)
    rules = models.PositiveIntegerField()  # of its own
    included = models.JSONField(default=list)  # [{"name", "version"}]: as they were at the save
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
    """Which check judges which calls: one list per project, replaced whole.

    Without the last line, which is fixed: every other call is judged by the default.
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
