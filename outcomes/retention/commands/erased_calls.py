"""Erase the calls of one agent or principal, and their share of rollups and sessions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from governance.core.actor import CONSOLE
from outcomes.artifacts.commands.uses import note_artifacts
from outcomes.figures.commands.grouping import count
from outcomes.holds.queries import holds_now
from outcomes.models import (
    AgentSeen,
    Call,
    ChangedCall,
    Erasure,
    Event,
    IndexedCall,
    PastVerdict,
    Session,
    SessionRemoval,
    SuspectedCall,
)
from outcomes.record import codec
from outcomes.record.codec import CALL_COLUMNS, CallRow
from outcomes.retention.commands.steps import CALLS, Cursor, delete_rows
from outcomes.search.commands.indexing import remove_calls
from outcomes.sessions.commands.readings import read_again
from outcomes.sessions.commands.removal import remove_artifacts_left


def erase_calls(erasure: Erasure, row: int, result: dict[str, Any]) -> Cursor | None:
    page = _calls(erasure, row, result["cursor"])
    if not page:
        return None
    numbers, cursor = page
    rows = _locked(numbers)
    held = holds_now(erasure.project_id).held_calls([(each.id, each.session) for each in rows])
    going = [each for each in rows if each.id not in held]
    erased = result["erased"]
    erased["held"] = erased.get("held", 0) + len(held)
    erased["events"] = erased.get("events", 0) + _erase(erasure.project_id, going)
    erased["calls"] = erased.get("calls", 0) + len(going)
    return cursor


def _calls(erasure: Erasure, row: int, after: Cursor | None) -> tuple[list[int], Cursor] | None:
    """Next batch of calls, and the cursor after it."""
    if erasure.about == Erasure.About.PRINCIPAL:
        indexed = IndexedCall.objects.filter(principal=row, pk__gt=int(after[0]) if after else 0)
        numbers = list(indexed.order_by("pk").values_list("pk", flat=True)[:CALLS])
        return (numbers, [numbers[-1]]) if numbers else None
    calls = Call.objects.filter(project=erasure.project_id, agent=row)
    if after is not None:
        at, order = datetime.fromisoformat(str(after[0])), int(after[1])
        calls = calls.filter(Q(at__gt=at) | Q(at=at, order__gt=order), at__gte=at)
    page = list(calls.order_by("at", "order").values_list("pk", "at", "order")[:CALLS])
    if not page:
        return None
    return [each[0] for each in page], [page[-1][1].isoformat(), page[-1][2]]


def _locked(numbers: Sequence[int]) -> list[CallRow]:
    rows = Call.objects.select_for_update().filter(pk__in=numbers)
    ordered = rows.order_by("environment", "digest").values_list(*CALL_COLUMNS)
    return [codec.call_row_of(values) for values in ordered]


def _erase(project: int, rows: Sequence[CallRow]) -> int:
    """Erase calls, and return the number of events erased with them."""
    if not rows:
        return 0
    ids = [row.id for row in rows]
    for model in (PastVerdict, ChangedCall, SuspectedCall):
        model._default_manager.filter(call__in=ids).delete()
    remove_calls(ids)
    events = 0
    for environment in {row.environment for row in rows}:
        digests = [row.digest for row in rows if row.environment == environment]
        those = Event.objects.filter(environment=environment, call_digest__in=digests)
        events += delete_rows(those)
    seen = list(AgentSeen.objects.filter(call__in=ids))
    delete_rows(Call.objects.filter(pk__in=ids))
    for row in seen:
        _see_again(project, row)
    note_artifacts(((row, None) for row in rows), {})
    _correct(project, rows)
    remove_artifacts_left(project, sorted({row.artifact for row in rows if row.artifact}))
    return events


def _see_again(project: int, row: AgentSeen) -> None:
    """Set when an agent was last seen from its newest remaining call."""
    calls = Call.objects.filter(
        project=project, environment=row.environment_id, agent=row.agent_id
    ).order_by("-at", "-order")
    newest = calls.values("id", "at").first() or {"id": None, "at": None}
    AgentSeen.objects.filter(pk=row.pk).update(call=newest["id"], at=newest["at"])


def _correct(project: int, rows: Sequence[CallRow]) -> None:
    """Correct sessions, then rollups, which are counted only once the session rows are locked."""
    sessions = {row.session for row in rows if row.session is not None}
    empty = read_again(sessions)
    count((row, None) for row in rows)
    _remove_empty(empty)


def _remove_empty(sessions: Sequence[Session]) -> None:
    """Leave the rest of sessions without calls to the job that deletes sessions."""
    now = timezone.now()
    for session in sessions:
        SessionRemoval.objects.get_or_create(
            session=session, defaults={"asked_by": str(CONSOLE), "requested_at": now}
        )
