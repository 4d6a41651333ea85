"""What stands around one call of a session: its other attempts, the one before of its tool, and
what was counted before it."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Count, F, Q
from django.db.models.lookups import Exact

from outcomes.calls.queries.lists import PLACE_IN_SESSION, in_session, not_after
from outcomes.models import Call
from outcomes.record.attempts import SameTool, attempts_of_one
from outcomes.record.selecting import PLACE_BY_TIME
from outcomes.web.key_paging import page_of, place_of

ATTEMPTS: Final = 500  # with the same arguments, that are looked through
NAMING: Final = 50  # the nearest of those and of its tool: of them is looked whom they name
_OF_ATTEMPTS: Final = (
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


def calls_of_its_tool(row: Call) -> list[Call]:
    """Of its session, itself included and in their order: those with its arguments, and of the
    others the nearest."""
    if row.session is None:
        return [row]
    same = in_session(row.session).filter(_of_its_tool(row))
    in_order, each_side = same.order_by(*PLACE_IN_SESSION), NAMING // 2
    before = same.filter(not_after(row), at__lte=row.at).exclude(pk=row.pk)
    parts = (
        # Two that told no arguments are not alike for it.
        in_order.filter(arguments=row.arguments).exclude(arguments=None)[:ATTEMPTS],
        before.order_by(*(f"-{name}" for name in PLACE_IN_SESSION))[:each_side],
        in_order.exclude(not_after(row)).filter(at__gte=row.at)[:each_side],
    )
    # In one they would have PostgreSQL go through all calls.
    alike, earlier, later = (
        Call.objects.filter(pk__in=part.values("pk")).only(*_OF_ATTEMPTS).order_by()
        for part in parts
    )
    found = {each.pk: each for each in alike.union(earlier, later)} | {row.pk: row}
    return sorted(found.values(), key=lambda each: place_of(each, PLACE_IN_SESSION))


def nearest(row: Call, calls: Sequence[Call]) -> list[Call]:
    """Others of them, as many as one looks whom they name as their parent: only events tell it."""
    alike = [each for each in calls if each.arguments == row.arguments]
    near = {each.pk: each for some in (calls, alike) for each in _around(row, some)}
    return [each for each in near.values() if each.pk != row.pk]


def _around(row: Call, calls: Sequence[Call]) -> Sequence[Call]:
    place = next(place for place, each in enumerate(calls) if each.pk == row.pk)
    return calls[max(0, place - NAMING // 2) : place + NAMING // 2 + 1]


def attempts_among(
    row: Call, calls: Sequence[Call], parents: Mapping[int, str | None]
) -> list[SameTool]:
    told = [
        SameTool(
            each.pk,
            each.call_id,
            each.kind,
            each.reason,
            each.verdict,
            each.elapsed_ms,
            each.turn_id,
            parents.get(each.pk),
            None if each.arguments is None else bytes(each.arguments),
        )
        for each in calls
    ]
    return attempts_of_one(told, row.pk)


def previous_of_tool(row: Call) -> Call | None:
    """In its session; else among the calls of its agent that came without one."""
    columns: tuple[str, ...] = PLACE_IN_SESSION
    if row.session is not None:
        found = in_session(row.session).filter(_of_its_tool(row))
    else:
        found = Call.objects.filter(project=row.project_id, agent=row.agent_id, session=None)
        found = found.filter(tool=row.tool_id)
        columns = PLACE_BY_TIME
    found = found.select_related("environment", "tool", "session")
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


def _of_its_tool(row: Call) -> Exact:
    """As a sum, or SQLite looks through all calls of the tool instead of those of the session."""
    return Exact(F("tool") + 0, row.tool_id)
