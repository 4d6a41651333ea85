"""What stands around one call of a session: its other attempts, the one before of its tool, and
what was counted before it."""

from typing import Final

from django.db.models import Count, Q

from outcomes.domain.attempts import SameCall, attempts_with
from outcomes.models import Call
from outcomes.queries.call_lists import PLACE_BY_TIME, PLACE_IN_SESSION, in_session, not_after
from outcomes.queries.paging import page_of

ATTEMPTS: Final = 500  # that are looked through
_RAN: Final = ~Q(kind="") & ~Q(kind="denied")


def attempts_of(row: Call) -> list[SameCall]:
    if row.session is None or row.arguments is None:
        return []
    same = in_session(row.session).filter(
        tool=row.tool_id, arguments=row.arguments, turn_id=row.turn_id
    )
    rows = same.order_by(*PLACE_IN_SESSION).values_list(*SameCall._fields)
    return attempts_with([SameCall(*each) for each in rows[:ATTEMPTS]], row.pk)


def previous_of_tool(row: Call) -> Call | None:
    """In its session; else among the calls of its agent that came without one."""
    columns: tuple[str, ...] = PLACE_IN_SESSION
    if row.session is not None:
        found = in_session(row.session)
    else:
        found = Call.objects.filter(project=row.project_id, agent=row.agent_id, session=None)
        columns = PLACE_BY_TIME
    found = found.filter(tool=row.tool_id).select_related("environment", "tool", "session")
    place = tuple(getattr(row, name) for name in columns)
    rows = page_of(found.defer("session__tally"), columns, size=1, before=place).rows
    return rows[0] if rows else None


def counted_before(row: Call) -> dict[str, int]:
    """Attempts, executions, and those of its tool, as its agent had counted them until then."""
    if row.session is None:
        return {}
    before = in_session(row.session).filter(not_after(row)).exclude(pk=row.pk)
    counts = before.order_by().aggregate(
        attempts=Count("id"),
        executions=Count("id", filter=_RAN),
        of_tool=Count("id", filter=_RAN & Q(tool=row.tool_id)),
    )
    return {name: int(number) for name, number in counts.items()}
