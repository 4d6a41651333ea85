"""What stands around one call of a session: its other attempts, the one before of its tool, and
what was counted before it."""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db.models import Count, F, Q
from django.db.models.lookups import Exact

from outcomes.domain.attempts import SameCall, attempts_of_one
from outcomes.models import Call
from outcomes.queries.call_lists import PLACE_BY_TIME, PLACE_IN_SESSION, in_session, not_after
from outcomes.queries.paging import page_of

ATTEMPTS: Final = 500  # that are looked through
NAMING: Final = 50  # of them, the nearest, of which is looked whom they name as their parent
_OF_ATTEMPTS: Final = (
    "call_id",
    "kind",
    "reason",
    "verdict",
    "elapsed_ms",
    "turn_id",
    "environment",
    "digest",
)
_RAN: Final = ~Q(kind="") & ~Q(kind="denied")


def calls_alike(row: Call) -> list[Call]:
    """Of its session, with its tool and its arguments, itself included; in their order."""
    if row.session is None or row.arguments is None:
        return []
    same = in_session(row.session).filter(_of_its_tool(row), arguments=row.arguments)
    return list(same.only(*_OF_ATTEMPTS).order_by(*PLACE_IN_SESSION)[:ATTEMPTS])


def near(row: Call, alike: Sequence[Call]) -> list[Call]:
    """Others of them, as many as one looks whom they name as their parent: only events tell it."""
    place = next((place for place, each in enumerate(alike) if each.pk == row.pk), 0)
    around = alike[max(0, place - NAMING // 2) : place + NAMING // 2]
    return [each for each in around if each.pk != row.pk]


def attempts_among(
    row: Call, alike: Sequence[Call], parents: Mapping[int, str | None]
) -> list[SameCall]:
    told = [
        SameCall(
            each.pk,
            each.call_id,
            each.kind,
            each.reason,
            each.verdict,
            each.elapsed_ms,
            each.turn_id,
            parents.get(each.pk),
        )
        for each in alike
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
