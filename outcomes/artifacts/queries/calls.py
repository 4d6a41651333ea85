"""Calls by the name of an artifact: those that refer to it, and those that read it."""

from django.db.models import BooleanField, F, Func, QuerySet, TextField

from outcomes.database import BEGINNING
from outcomes.models import Call
from outcomes.models.calls import NAME_INDEXED


def calls_referring_to(project_id: int, name: str) -> QuerySet[Call]:
    """Calls that refer to an artifact, newest first."""
    return _calls_naming(project_id, "artifact_name", name)


def calls_reading(project_id: int, name: str) -> QuerySet[Call]:
    return _calls_naming(project_id, "artifact_read", name)


def beginning(column: str) -> Func:
    """Indexed beginning of a name. The index expression and its condition are literals: SQLite does
    not match an index if they contain parameters."""
    return Func(F(column), template=BEGINNING.format(NAME_INDEXED), output_field=TextField())


def is_named(column: str) -> Func:
    return Func(F(column), template="NOT (%(expressions)s = '')", output_field=BooleanField())


def _calls_naming(project_id: int, column: str, name: str) -> QuerySet[Call]:
    calls = Call.objects.filter(is_named(column), project=project_id)
    calls = calls.alias(begins=beginning(column), whole=_full_text(column))
    calls = calls.filter(begins=name[:NAME_INDEXED], whole=name)
    return calls.order_by("-at", "-order")


def _full_text(column: str) -> Func:
    """Full name, concatenated with an empty string. Otherwise SQLite would infer the beginning from
    the plain column and not use the index."""
    return Func(F(column), template="(%(expressions)s || '')", output_field=TextField())
