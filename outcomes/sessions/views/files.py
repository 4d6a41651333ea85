"""Tables of a session's page as files: its calls; by `table` its turns, waste and artifacts."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from django.http.response import HttpResponseBase

from governance.core.masking import masked_beginning
from governance.core.tables import Columns
from governance.people.auth import MemberRequest
from governance.web.exports import offer_table
from governance.web.table_files import one_of_tables, table_file
from outcomes.calls.views.calls import session_calls_file
from outcomes.models import Session
from outcomes.record.brief_call import BriefCall
from outcomes.sessions.domain.overview import Overview, TurnLine, WasteLine
from outcomes.sessions.queries.about_sessions import family_of
from outcomes.sessions.queries.page import session_page
from outcomes.sessions.tables import SESSIONS
from outcomes.stored.queries import sessions

TURNS: Final[Columns[TurnLine]] = {
    "turn_id": lambda row: row.turn_id,
    "first_at": lambda row: row.first_at,
    "first_call": lambda row: row.first,
    "last_call": lambda row: row.last,
    "calls": lambda row: row.calls,
    "executions": lambda row: row.results.ran,
    "successes": lambda row: row.results.successes,
    "failures": lambda row: row.results.failures,
    "unknown": lambda row: row.results.unknown,
    "denied": lambda row: row.denied,
    "reasons": lambda row: ", ".join(row.reasons) or None,
    "waste": lambda row: row.wasted,
    "blocked_tools": lambda row: ", ".join(blocked.tool for blocked in row.blocked) or None,
}
WASTE: Final[Columns[WasteLine]] = {
    "waste": lambda row: row.kind.value,
    "calls": lambda row: row.calls,
    "elapsed_ms": lambda row: row.elapsed_ms if row.ran and row.elapsed_ms else None,
    "tools": lambda row: ", ".join(tool for tool, _ in row.tools),
}
ARTIFACTS: Final[Columns[tuple[int, BriefCall]]] = {
    "artifact_id": lambda row: row[1].artifact_name,
    "call": lambda row: row[0],
    "call_id": lambda row: row[1].call_id,
    "tool_name": lambda row: row[1].tool,
    "summary": lambda row: masked_beginning(row[1].detail) or None,
    "size_bytes": lambda row: row[1].artifact_bytes,
    "stored": lambda row: row[1].artifact_sha256 is not None,
}
CHILDREN: Final = "children"
TABLES: Final[dict[str, tuple[Columns[Any], Callable[[Overview], Iterable[Any]]]]] = {
    "turns": (TURNS, lambda overview: overview.turns),
    "waste": (WASTE, lambda overview: overview.waste),
    "artifacts": (ARTIFACTS, lambda overview: overview.artifacts),
}


def offer_tables(request: MemberRequest, overview: Overview, *, has_children: bool) -> None:
    """In the Export menu, those that have rows."""
    for name, (_, rows) in TABLES.items():
        if list(rows(overview)):
            offer_table(request, name, table=name)
    if has_children:
        offer_table(request, CHILDREN, table=CHILDREN)


def session_file(request: MemberRequest, session: Session) -> HttpResponseBase | None:
    """None where the page itself is asked for."""
    name = request.GET.get("table", "")
    if name == CHILDREN:
        ids = [tool.pk for tool in family_of(session).children]
        children = sessions(session.project_id).filter(pk__in=ids)
        return one_of_tables(request, request.project, {CHILDREN: (SESSIONS, children)})
    if name not in TABLES:
        return session_calls_file(request, session)
    columns, rows = TABLES[name]
    return table_file(
        request,
        request.project,
        f"session-{name}",
        columns,
        lambda: rows(session_page(session).overview),
    )
