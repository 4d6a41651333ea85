"""Saved views: filters and sort order of a list under a name, personal or shared in the project."""

from django.db import models
from django.db.models import Q


class SavedView(models.Model):
    id = models.BigAutoField(primary_key=True)
    project = models.ForeignKey("governance.Project", models.CASCADE, related_name="+")
    owner = models.ForeignKey(  # none: shared
        "governance.User", models.CASCADE, related_name="+", null=True, db_index=False
    )
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=2000, blank=True)  # query string of the list
    author = models.CharField(max_length=320)
    at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "owner", "name"], name="one_view_per_person_and_name"
            ),
            models.UniqueConstraint(
                fields=["project", "name"],
                condition=Q(owner=None),
                name="one_shared_view_of_a_name",
            ),
        ]

    def __str__(self) -> str:
        return self.name
