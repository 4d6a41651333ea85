"""Lists of calls: those of a session by their number, and those of an agent or of no session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet, Subquery

from outcomes.figures.queries.newest_of_groups import narrowed_to_newest
from outcomes.models import Call, Session
from outcomes.record.selecting import CALLS_SHOWN, PLACE_BY_TIME, CallFilter, calls
from outcomes.web.key_paging import Page, Place, page_of, place_of

PLACE_IN_SESSION: Final = ("at", "call_index", "order")
CALLS_BELOW: Final = 50  # figures that say more than the list
IN_LIST: Final = ("agent", "tool", "environment")  # by which a row is named
IN_FILE: Final = (*IN_LIST, "session")

SHOWN: Final = {
    "failures": Q(verdict="failure"),
    "denied": Q(kind="denied"),
    "disagree": Q(disagreement=True),
    "ran-failed": Q(verdict="failure", kind__in=("execution_result", "artifact_reference")),
}


@dataclass(frozen=True, slots=True)
class Neighbours:
    earlier: Call | None
    later: Call | None


def calls_of_session(
    session: Session,
    *,
    show: str = "",
    before: Place | None = None,
    after: Place | None = None,
) -> Page[Call]:
    found = in_session(session).select_related(*IN_LIST)
    if show:
        found = found.filter(SHOWN[show])
    return page_of(found, PLACE_IN_SESSION, size=CALLS_SHOWN, before=before, after=after)


def calls_by_time(
    project_id: int,
    wanted: CallFilter,
    *,
    without_session: bool = False,
    show: str = "",
    before: Place | None = None,
    after: Place | None = None,
    names: Sequence[str] = IN_LIST,
    size: int = 0,
) -> Page[Call]:
    """A page of CALLS_SHOWN, where no other size is asked for."""
    size = size or CALLS_SHOWN
    found = calls(project_id, wanted).select_related(None).select_related(*names)
    if without_session:
        found = found.filter(session=None)
    if show:
        found = found.filter(SHOWN[show])
    if show == "denied" and after is None and not without_session:
        found = narrowed_to_newest(found, project_id, wanted, size, before)
    return page_of(found, PLACE_BY_TIME, size=size, before=before, after=after)


def numbers_of(session: Session, rows: Sequence[Call]) -> dict[int, int]:
    """The place of each call among all calls of its session, counted from one."""
    if not rows:
        return {}
    newest = max(rows, key=_place)
    up_to = in_session(session).filter(not_after(newest)).order_by(*PLACE_IN_SESSION)
    wanted = {row.pk for row in rows}
    ids = enumerate(up_to.values_list("id", flat=True), start=1)
    return {row_id: number for number, row_id in ids if row_id in wanted}


def number_of(session: Session, row: Call) -> int:
    return in_session(session).filter(not_after(row)).count()


def neighbours_of(row: Call) -> Neighbours:
    """The calls around one: of its session, else of its agent's calls without one."""
    columns: tuple[str, ...] = PLACE_IN_SESSION
    if row.session is not None:
        found = in_session(row.session)
    else:
        found = Call.objects.filter(project=row.project_id, agent=row.agent_id, session=None)
        columns = PLACE_BY_TIME
    earlier = found.filter(_beside(row, columns, "lt")).order_by(*(f"-{name}" for name in columns))
    later = found.filter(_beside(row, columns, "gt")).order_by(*columns)
    both = found.filter(
        Q(pk=Subquery(earlier.values("pk")[:1])) | Q(pk=Subquery(later.values("pk")[:1]))
    )
    both = both.order_by()  # for an order SQLite would go through all calls of the project
    rows = {_is_after(each, row, columns): each for each in both.select_related("environment")}
    return Neighbours(rows.get(False), rows.get(True))


def in_session(session: Session) -> QuerySet[Call]:
    return Call.objects.filter(project=session.project_id, session=session)


def _place(row: Call) -> tuple[object, int, int]:
    return row.at, row.call_index, row.order


def not_after(row: Call) -> Q:
    same = Q(at=row.at)
    return (
        Q(at__lt=row.at)
        | same & Q(call_index__lt=row.call_index)
        | same & Q(call_index=row.call_index, order__lte=row.order)
    )


def _is_after(one: Call, other: Call, columns: Sequence[str]) -> bool:
    return place_of(one, columns) > place_of(other, columns)


def _beside(row: Call, columns: Sequence[str], operator: str) -> Q:
    beyond, same = Q(), Q()
    for name in columns:
        beyond |= same & Q((f"{name}__{operator}", getattr(row, name)))
        same &= Q((name, getattr(row, name)))
    return beyond & Q((f"at__{operator}e", row.at))
