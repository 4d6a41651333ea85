"""Calls and what they say of an artifact, found by its name: those that refer to it, and those of a
model that came back to read it."""

from django.db.models import BooleanField, F, Func, QuerySet, TextField

from outcomes.database import BEGINNING
from outcomes.models import Call
from outcomes.models.calls import NAME_INDEXED


def calls_referring_to(project_id: int, name: str) -> QuerySet[Call]:
    """The newest first."""
    return _calls_naming(project_id, "artifact_name", name)


def calls_reading(project_id: int, name: str) -> QuerySet[Call]:
    return _calls_naming(project_id, "artifact_read", name)


def beginning(column: str) -> Func:
    """How a name begins, which is what its index knows. The index and its condition are told in
    their own words: a value in their place is anything to SQLite, so not what the index is of."""
    return Func(F(column), template=BEGINNING.format(NAME_INDEXED), output_field=TextField())


def is_named(column: str) -> Func:
    return Func(F(column), template="NOT (%(expressions)s = '')", output_field=BooleanField())


def _calls_naming(project_id: int, column: str, name: str) -> QuerySet[Call]:
    calls = Call.objects.filter(is_named(column), project=project_id)
    calls = calls.alias(begins=beginning(column), whole=_full_text(column))
    calls = calls.filter(begins=name[:NAME_INDEXED], whole=name)
    return calls.order_by("-at", "-order")


def _full_text(column: str) -> Func:
    """The name with nothing added: were it asked for as it is, SQLite would see what it begins
    with, and no longer what its index is of."""
    return Func(F(column), template="(%(expressions)s || '')", output_field=TextField())
