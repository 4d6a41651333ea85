"""Calls and what they say of an artifact, found by its name: those that refer to it, and those of a
model that came back to read it."""

from django.db.models import QuerySet
from django.db.models.functions import Left

from outcomes.models import Call
from outcomes.models.calls import NAME_INDEXED


def calls_referring_to(project_id: int, name: str) -> QuerySet[Call]:
    """The newest first."""
    return _calls_naming(project_id, "artifact_name", name)


def calls_reading(project_id: int, name: str) -> QuerySet[Call]:
    return _calls_naming(project_id, "artifact_read", name)


def _calls_naming(project_id: int, column: str, name: str) -> QuerySet[Call]:
    found = Call.objects.filter(project=project_id, **{column: name}).exclude(**{column: ""})
    # How it begins is what the index knows.
    found = found.alias(begins=Left(column, NAME_INDEXED)).filter(begins=name[:NAME_INDEXED])
    return found.order_by("-at", "-order")
