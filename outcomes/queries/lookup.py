"""What somebody may mean by a word or an id: a few sessions, calls, tools, agents and artifacts.

Names are looked through; there are few of them. Ids are found by indexes, and among the newest by
any part of them: nothing here grows with the calls that are there.
"""

from typing import Final, NamedTuple, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet, Value
from django.db.models.functions import Left, Lower, StrIndex

from outcomes.codec import as_text, digest_of
from outcomes.models import Agent, Artifact, Call, Session, Tool
from outcomes.queries.calls import newest_calls_named, with_names
from outcomes.queries.session_reports import sessions

A_FEW: Final = 6
NEWEST: Final = 1_000  # looked through for a part of an id
BEGINNINGS: Final = 50  # of ids that begin so, before the newest of them are chosen
INDEXED: Final = 100  # characters of a session's id that the index of beginnings holds
LONGEST: Final = 1_024  # characters of an identifier
SHORTEST_HASH: Final = 4
AFTER_ANY: Final = "\U0010ffff"

NAMES_READ: Final = 100  # of both kinds

Row = TypeVar("Row", bound=Model)


class Names(NamedTuple):
    tools: list[str]
    agents: list[str]


def sessions_like(project_id: int, text: str) -> list[Session]:
    """The one of that id first, then the newest; without a text the newest of all."""
    found, text = sessions(project_id), as_text(text)[:LONGEST]
    if not text:
        return list(found[:A_FEW])
    newest = Session.objects.filter(project=project_id, attempts__gt=0)
    newest = newest.order_by("-last_at", "-id")[:NEWEST]
    parts = found.filter(pk__in=newest.values("pk"), session_id__icontains=text)
    begin = _beginning_with(Session.objects.filter(project=project_id), text)[:BEGINNINGS]
    # By way of the environments, with which the index of ids begins.
    exact = found.filter(environment__project=project_id, digest=digest_of(text))
    rows = [*parts[:A_FEW], *found.filter(pk__in=begin.values("pk"))]
    rows.sort(key=lambda row: (row.last_at, row.pk), reverse=True)
    return _once([*exact, *rows])


def calls_like(project_id: int, text: str) -> list[Call]:
    """The one of that id, however old; then what has it in its id among the newest."""
    text = as_text(text)[:LONGEST]
    if not text:
        return []
    newest = Call.objects.filter(project=project_id).order_by("-at", "-order")[:NEWEST]
    parts = with_names(Call.objects.filter(pk__in=newest.values("pk"), call_id__icontains=text))
    exact = newest_calls_named(project_id, [text])
    return _once([*exact, *parts.order_by("-at", "-order")[:A_FEW]])


def names_like(project_id: int, text: str) -> Names:
    """Those that begin so first, then by how early it stands in them."""
    text = as_text(text)[:LONGEST]
    if not text:
        return Names([], [])
    at = StrIndex(Lower("name"), Lower(Value(text)))
    tools, agents = (
        model.objects.filter(project=project_id, name__icontains=text)
        .annotate(kind=Value(kind), place=at)
        .order_by()
        .values_list("kind", "place", "name")
        for kind, model in ((0, Tool), (1, Agent))
    )
    rows = list(tools.union(agents, all=True).order_by("place", "name")[:NAMES_READ])
    of_tools, of_agents = ([name for each, _, name in rows if each == kind] for kind in (0, 1))
    return Names(of_tools[:A_FEW], of_agents[:A_FEW])


def artifacts_like(project_id: int, text: str) -> list[Artifact]:
    """By the beginning of their SHA-256; few digits say nothing."""
    digits = as_text(text).lower().removeprefix("sha256:")
    if len(digits) < SHORTEST_HASH or set(digits) - set("0123456789abcdef"):
        return []
    found = Artifact.objects.filter(project=project_id, sha256__gte=digits, sha256__lt=digits + "g")
    return list(found.order_by("sha256")[:A_FEW])


def _beginning_with(found: QuerySet[Session], text: str) -> QuerySet[Session]:
    """As the index of beginnings finds it, which each database asks for in its own words."""
    found = found.order_by()
    if connection.vendor == "postgresql":
        return found.alias(begins=Left("session_id", INDEXED)).filter(
            begins__startswith=text[:INDEXED]
        )
    return found.filter(session_id__gte=text, session_id__lt=text + AFTER_ANY)


def _once(rows: list[Row]) -> list[Row]:
    return list({row.pk: row for row in rows}.values())[:A_FEW]
