"""What somebody may mean by a word or an id: a few sessions, calls, tools, agents and artifacts.

Names are looked through; there are few of them. Ids are found by indexes, and among the newest by
any part of them: nothing here grows with the calls that are there.
"""

from datetime import datetime
from typing import Final, NamedTuple

from django.db import connection
from django.db.models import QuerySet, Value
from django.db.models.functions import Left, Lower, StrIndex

from outcomes.codec import as_text, digest_of
from outcomes.models import Agent, Artifact, Call, Session, Tool

A_FEW: Final = 6
NEWEST: Final = 1_000  # looked through for a part of an id
BEGINNINGS: Final = 50  # of ids that begin so, before the newest of them are chosen
INDEXED: Final = 100  # characters of a session's id that the index of beginnings holds
LONGEST: Final = 1_024  # characters of an identifier
SHORTEST_HASH: Final = 4
AFTER_ANY: Final = "\U0010ffff"

NAMES_READ: Final = 100  # of both kinds


class SessionFound(NamedTuple):
    pk: int
    session_id: str
    environment: str
    agent: str | None
    at: datetime


class CallFound(NamedTuple):
    call_id: str
    environment: str
    tool: str
    kind: str
    at: datetime


class Names(NamedTuple):
    tools: list[str]
    agents: list[str]


def sessions_like(project_id: int, text: str) -> list[SessionFound]:
    """The one of that id first, then the newest; without a text the newest of all."""
    text = as_text(text)[:LONGEST]
    found = Session.objects.filter(project=project_id, attempts__gt=0)
    newest = _sessions_in(found.order_by("-last_at", "-id"), NEWEST if text else A_FEW)
    if not text:
        return newest
    # By way of the environments, with which the index of ids begins.
    exact = found.filter(environment__project=project_id, digest=digest_of(text)).order_by()
    begin = _sessions_in(_beginning_with(found, text), BEGINNINGS)
    rows = {*begin, *(row for row in newest if _holds(row.session_id, text))}
    ordered = sorted(rows, key=lambda row: row.at, reverse=True)
    return _once([*_sessions_in(exact, A_FEW), *ordered])


def calls_like(project_id: int, text: str) -> list[CallFound]:
    """Those of that id, however old; else what has it in its id among the newest."""
    text = as_text(text)[:LONGEST]
    if not text:
        return []
    named = Call.objects.filter(environment__project=project_id, digest=digest_of(text))
    exact = _calls_in(named.order_by("-at"), A_FEW)
    if exact:
        return exact
    newest = Call.objects.filter(project=project_id).order_by("-at", "-order")
    return [row for row in _calls_in(newest, NEWEST) if _holds(row.call_id, text)][:A_FEW]


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


def _sessions_in(found: QuerySet[Session], limit: int) -> list[SessionFound]:
    columns = ("pk", "session_id", "environment__name", "agent__name", "last_at")
    return [SessionFound(*row) for row in found.values_list(*columns)[:limit]]


def _calls_in(found: QuerySet[Call], limit: int) -> list[CallFound]:
    columns = ("call_id", "environment__name", "tool__name", "kind", "at")
    return [CallFound(*row) for row in found.values_list(*columns)[:limit]]


def _holds(identifier: str, text: str) -> bool:
    # Here and not there: asked for both at once, a database goes through all calls that it has.
    return text.casefold() in identifier.casefold()


def _once(rows: list[SessionFound]) -> list[SessionFound]:
    return list(dict.fromkeys(rows))[:A_FEW]
