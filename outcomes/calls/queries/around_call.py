"""Calls around one call of a session: its attempts, the previous call of its tool, and the counts
before it."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Count, F, Q
from django.db.models.lookups import Exact

from outcomes.calls.queries.lists import PLACE_IN_SESSION, in_session, not_after
from outcomes.models import Call
from outcomes.record.attempts import SameTool, attempts_of_one
from outcomes.stored.queries import PLACE_BY_TIME
from outcomes.web.paging import page_of, place_of

ATTEMPTS: Final = 500  # calls with the same arguments that are searched
NAMING: Final = 50  # nearest of those and of the tool's calls, whose parents are read
_ATTEMPT_COLUMNS: Final = (
    "call_id",
    "kind",
    "reason",
    "verdict",
    "elapsed_ms",
    "turn_id",
    "environment",
    "digest",
    "arguments",
    *PLACE_IN_SESSION,
)
_RAN: Final = ~Q(kind="") & ~Q(kind="denied")


def calls_of_same_tool(row: Call) -> list[Call]:
    """Calls of the same session and tool in order, including the call itself: those with the same
    arguments, and the nearest others."""
    if row.session is None:
        return [row]
    same = in_session(row.session).filter(_same_tool(row))
    in_order, half = same.order_by(*PLACE_IN_SESSION), NAMING // 2
    before = same.filter(not_after(row), at__lte=row.at).exclude(pk=row.pk)
    parts = (
        # Two calls without reported arguments don't count as equal.
        in_order.filter(arguments=row.arguments).exclude(arguments=None)[:ATTEMPTS],
        before.order_by(*(f"-{name}" for name in PLACE_IN_SESSION))[:half],
        in_order.exclude(not_after(row)).filter(at__gte=row.at)[:half],
    )
    # A single condition would make PostgreSQL scan all calls.
    same_arguments, earlier, later = (
        Call.objects.filter(pk__in=part.values("pk")).only(*_ATTEMPT_COLUMNS).order_by()
        for part in parts
    )
    by_id = {call.pk: call for call in same_arguments.union(earlier, later)} | {row.pk: row}
    return sorted(by_id.values(), key=lambda call: place_of(call, PLACE_IN_SESSION))


def nearest(row: Call, calls: Sequence[Call]) -> list[Call]:
    """Nearest calls, whose events are read to find parent calls, which have no column."""
    same_arguments = [call for call in calls if call.arguments == row.arguments]
    near = {call.pk: call for some in (calls, same_arguments) for call in _around(row, some)}
    return [call for call in near.values() if call.pk != row.pk]


def _around(row: Call, calls: Sequence[Call]) -> Sequence[Call]:
    place = next(place for place, call in enumerate(calls) if call.pk == row.pk)
    return calls[max(0, place - NAMING // 2) : place + NAMING // 2 + 1]


def attempts_among(
    row: Call, calls: Sequence[Call], parents: Mapping[int, str | None]
) -> list[SameTool]:
    candidates = [
        SameTool(
            call.pk,
            call.call_id,
            call.kind,
            call.reason,
            call.verdict,
            call.elapsed_ms,
            call.turn_id,
            parents.get(call.pk),
            None if call.arguments is None else bytes(call.arguments),
        )
        for call in calls
    ]
    return attempts_of_one(candidates, row.pk)


def previous_of_tool(row: Call) -> Call | None:
    """Previous call of the same tool in the session, or among the agent's calls without one."""
    columns: tuple[str, ...] = PLACE_IN_SESSION
    if row.session is not None:
        others = in_session(row.session).filter(_same_tool(row))
    else:
        others = Call.objects.filter(project=row.project_id, agent=row.agent_id, session=None)
        others = others.filter(tool=row.tool_id)
        columns = PLACE_BY_TIME
    others = others.select_related("environment", "tool", "session")
    place = tuple(getattr(row, name) for name in columns)
    rows = page_of(others.defer("session__tally"), columns, size=1, before=place).rows
    return rows[0] if rows else None


def counted_before(row: Call) -> dict[str, int]:
    """Attempts, executions, and executions of the same tool before this call, by the agent's
    count."""
    if row.session is None:
        return {}
    before = in_session(row.session).filter(not_after(row)).exclude(pk=row.pk)
    counts = before.order_by().aggregate(
        attempts=Count("id"),
        executions=Count("id", filter=_RAN),
        of_tool=Count("id", filter=_RAN & Q(tool=row.tool_id)),
    )
    return {name: int(number) for name, number in counts.items()}


def _same_tool(row: Call) -> Exact:
    """Condition for the same tool, written as a sum so that SQLite uses the session's index instead
    of the tool's."""
    return Exact(F("tool") + 0, row.tool_id)
