"""The installation as its hosts share it: the schema that was migrated to."""

from django.db import models


class SchemaState(models.Model):
    """One row: the schema generation, and the oldest one whose code works with it."""

    generation = models.PositiveIntegerField()
    oldest = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"generation {self.generation}"
