"""Erase an agent's or principal's other data: events without a call, approvals, reports."""

import json
from collections.abc import Sequence
from typing import Any

from governance.models import AnnouncedAssignment, Approval, Environment, Fetches
from outcomes.models import (
    AgentReport,
    AgentSeen,
    ArtifactMaker,
    Call,
    CallGroup,
    Erasure,
    Event,
    GroupRollup,
    RejectedItem,
    Rollup,
)
from outcomes.retention.commands.steps import EVENTS, Cursor, delete_rows
from outcomes.search.queries.hits import principal_name
from outcomes.stored.queries import read_events

_BY_AGENT = (Rollup.Of.AGENT, Rollup.Of.BOTH)


def erase_events(erasure: Erasure, row: int, result: dict[str, Any]) -> Cursor | None:
    """Erase events without a call, scanned in acceptance order."""
    after = int(result["cursor"][0]) if result["cursor"] else 0
    events = Event.objects.filter(project=erasure.project_id, pk__gt=after).order_by("pk")
    page = list(events.values_list("pk", "environment", "call_digest", "agent")[:EVENTS])
    if not page:
        return None
    of_calls = _with_calls([(each[1], bytes(each[2])) for each in page])
    alone = [each for each in page if (each[1], bytes(each[2])) not in of_calls]
    if erasure.about == Erasure.About.AGENT:
        going = [each[0] for each in alone if each[3] == row]
        # Keep this agent's events about another agent's calls: those calls need them.
        if len(going) < sum(each[3] == row for each in page):
            result["others"] = True
    else:
        going = _notes_of_principal([each[0] for each in alone], erasure.name)
    gone = delete_rows(Event.objects.filter(pk__in=going))
    result["erased"]["events"] = result["erased"].get("events", 0) + gone
    return [page[-1][0]]


def erase_rest(erasure: Erasure, row: int, result: dict[str, Any]) -> Cursor | None:
    environments = Environment.objects.filter(project=erasure.project_id)
    erased = result["erased"]
    rejected = _rejected(environments.values_list("pk", flat=True), erasure.name)
    RejectedItem.objects.filter(pk__in=rejected).delete()
    erased["rejected_items"] = len(rejected)
    if erasure.about == Erasure.About.PRINCIPAL:
        return None
    approvals = Approval.objects.filter(project=erasure.project_id, agent_id=erasure.name)
    erased["approvals"] = approvals.delete()[0]
    named = {"environment__in": environments, "agent": erasure.name}
    Fetches.objects.filter(**named).delete()
    AnnouncedAssignment.objects.filter(**named).delete()
    RejectedItem.objects.filter(**named).delete()
    for model in (AgentSeen, AgentReport, ArtifactMaker):
        model._default_manager.filter(agent=row).delete()
    # These rollups are zero by now.
    Rollup.objects.filter(environment__in=environments, of__in=_BY_AGENT, agent=row).delete()
    GroupRollup.objects.filter(environment__in=environments, agent=row).delete()
    CallGroup.objects.filter(agent=row).delete()
    return None


def _with_calls(places: Sequence[tuple[int, bytes]]) -> set[tuple[int, bytes]]:
    page = set[tuple[int, bytes]]()
    for environment in {place[0] for place in places}:
        digests = sorted({digest for there, digest in places if there == environment})
        rows = Call.objects.filter(environment=environment, digest__in=digests)
        page |= {(environment, bytes(each)) for each in rows.values_list("digest", flat=True)}
    return page


def _notes_of_principal(numbers: Sequence[int], name: str) -> list[int]:
    rows = Event.objects.filter(pk__in=numbers).select_related("agent", "environment")
    return [
        stored.row.pk
        for stored in read_events(rows)
        if principal_name(stored.event.principal) == name
    ]


def _rejected(environments: Any, name: str) -> list[int]:
    """Invalid events whose stored beginning contains the name as a JSON string."""
    spellings = {
        json.dumps(name, ensure_ascii=escaped).encode(errors="surrogatepass")
        for escaped in (False, True)
    }
    rows = RejectedItem.objects.filter(environment__in=environments)
    page = rows.values_list("pk", "excerpt").iterator()
    return [pk for pk, excerpt in page if any(each in bytes(excerpt) for each in spellings)]
