"""Lookup of a word or an id: a few sessions, calls, tools, agents and artifacts.

Names are few, so they are scanned. Ids are matched by index, and by substring only among the newest
rows, so no query slows down as calls accumulate.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from django.db.models import Max, QuerySet, Value
from django.db.models.functions import Coalesce, Lower, StrIndex

from outcomes.database import starting_with
from outcomes.models import Agent, AgentSeen, Artifact, ArtifactUse, Call, Session, Tool
from outcomes.record.codec import as_text, digest_of

A_FEW: Final = 6
NEWEST: Final = 500  # rows scanned for a part of an id
BEGINNINGS: Final = 50  # ids with the prefix, from which the newest are chosen
INDEXED: Final = 100  # characters of a session id in the prefix index
LONGEST: Final = 1_024  # characters of an identifier
SHORTEST_HASH: Final = 4

NAMES_READ: Final = 100  # tools and agents together


class SessionHit(NamedTuple):
    session_id: str
    environment: str
    agent: str | None
    at: datetime


class CallHit(NamedTuple):
    call_id: str
    environment: str
    tool: str
    kind: str
    at: datetime


class ArtifactHit(NamedTuple):
    name: str
    media_type: str  # empty if stored by the agent
    size_bytes: int
    at: datetime


class Names(NamedTuple):
    tools: list[str]
    agents: list[str]


Row = TypeVar("Row", SessionHit, CallHit, ArtifactHit)


def sessions_like(project_id: int, text: str) -> list[SessionHit]:
    """Matching sessions: the exact id first, then newest first. Without text, the newest ones."""
    text = as_text(text)[:LONGEST]
    listed = Session.objects.filter(project=project_id, attempts__gt=0)
    newest = listed.order_by("-last_at", "-id")
    columns = ("session_id", "environment__name", "agent__name", "last_at")
    if not text:
        return [SessionHit(*row) for row in newest.values_list(*columns)[:A_FEW]]
    begin = _beginning_with(listed, text)
    rows = [
        SessionHit(*row)
        for row in _any_of(
            # Filtered by environment because the index on ids starts with it.
            listed.filter(environment__project=project_id, digest=digest_of(text)),
            Session.objects.filter(pk__in=begin.values("pk")[:BEGINNINGS]),
            Session.objects.filter(pk__in=newest.values("pk")[:NEWEST]),
            columns=columns,
        )
    ]
    return _fitting(rows, text, lambda row: row.session_id)


def calls_like(project_id: int, text: str) -> list[CallHit]:
    """The call with that id, however old, then newest calls whose id contains the text."""
    text = as_text(text)[:LONGEST]
    if not text:
        return []
    newest = Call.objects.filter(project=project_id).order_by("-at", "-order")
    rows = [
        CallHit(*row)
        for row in _any_of(
            Call.objects.filter(environment__project=project_id, digest=digest_of(text)),
            Call.objects.filter(pk__in=newest.values("pk")[:NEWEST]),
            columns=("call_id", "environment__name", "tool__name", "kind", "at"),
        )
    ]
    return _fitting(rows, text, lambda row: row.call_id)


def names_like(project_id: int, text: str) -> Names:
    """Matching names: prefixes first, then by position of the match."""
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


def artifacts_like(project_id: int, text: str) -> list[ArtifactHit]:
    """Artifacts stored here, by SHA-256 prefix; too few digits match too much. Without matches,
    artifacts kept by agents, by exact name and by substring among the newest."""
    text = as_text(text)[:LONGEST]
    if not text:
        return []
    digits = text.lower().removeprefix("sha256:")
    if len(digits) >= SHORTEST_HASH and not set(digits) - set("0123456789abcdef"):
        stored = Artifact.objects.filter(
            project=project_id, sha256__gte=digits, sha256__lt=digits + "g"
        ).order_by("sha256")
        columns = ("sha256", "media_type", "size_bytes", "created_at")
        hits = [ArtifactHit(*row) for row in stored.values_list(*columns)[:A_FEW]]
        if hits:
            return hits
    references = ArtifactUse.objects.filter(artifact=None, last_at__isnull=False)
    newest = references.filter(project=project_id).order_by("-last_at", "-id")
    rows = [
        ArtifactHit(name, "", octets, at)
        for name, octets, at in _any_of(
            references.filter(environment__project=project_id, digest=digest_of(text)),
            references.filter(pk__in=newest.values("pk")[:NEWEST]),
            columns=("name", "size_bytes", "last_at"),
        )
    ]
    newest_of = {
        row.name: row for row in sorted(rows, key=lambda row: row.at)
    }  # the same name may occur in several environments
    return _fitting(list(newest_of.values()), text, lambda row: row.name)


def _beginning_with(rows: QuerySet[Session], text: str) -> QuerySet[Session]:
    return starting_with(rows.order_by(), "session_id", text, INDEXED)


def _any_of(*querysets: QuerySet[Any], columns: tuple[str, ...]) -> Iterable[tuple[Any, ...]]:
    """Union of the queries, each of which can use its own index."""
    first, *others = (each.order_by().values_list(*columns) for each in querysets)
    return first.union(*others)


def _fitting(rows: list[Row], text: str, name_of: Callable[[Row], str]) -> list[Row]:
    # Filtered in Python: with both conditions in the query, the database would scan all rows.
    fitting = [row for row in rows if text.casefold() in name_of(row).casefold()]
    fitting.sort(key=lambda row: (name_of(row) == text, row.at), reverse=True)
    return fitting[:A_FEW]


def agents_seen(project_id: int, limit: int) -> list[str]:
    """Names of agents, last seen first."""
    rows = AgentSeen.objects.filter(environment__project=project_id)
    last = rows.values("agent__name").annotate(last=Coalesce(Max("at"), Max("heard_at")))
    return list(last.order_by("-last").values_list("agent__name", flat=True)[:limit])
