"""Agent sessions, read over HTTP."""

from datetime import datetime
from typing import Any, Final

from django.http import HttpResponse
from ninja import Query

from governance.core.errors import NotFound
from governance.core.wilson import wilson
from governance.delivery.queries.governing import Governing
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from outcomes.calls.api.shapes import contract_out, time_text
from outcomes.calls.schemas import CallsQuery, OneCallQuery
from outcomes.jobs import doorbell
from outcomes.jobs.api import settled
from outcomes.models import Session
from outcomes.search.api import query_of
from outcomes.search.queries.sessions import MatchingSessions, matching_sessions
from outcomes.search.queries.sources import Place, microseconds, moment
from outcomes.sessions.commands.removal import remove_session
from outcomes.sessions.queries.details import session_details
from outcomes.sessions.queries.readings import SessionReport, report_of
from outcomes.sessions.queries.search import sessions_with
from outcomes.stored.queries import session_named
from outcomes.web.api import answer, cursor_at, place_of, router

BETWEEN: Final = "~"  # two places of a cursor
CAN_READ = KeyOrMember("read")
CAN_DELETE = KeyOrMember(action=Action.DELETE_SESSION)


@router.get("/agent-sessions", auth=CAN_READ, response={200: None})
def list_agent_sessions(request: AccessRequest, query: Query[CallsQuery]) -> HttpResponse:
    """Sessions with a call that fits the filter, newest activity first."""
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    before, part = _places_of(query.cursor)
    filters, matching = query.filter(), None
    if query.q:
        matching = matching_sessions(project, query_of(query.q), filters, before=part)
    page = sessions_with(project, filters, limit=query.limit, before=before, matching=matching)
    governing = Governing({row.environment_id for row in page.rows})
    return answer(
        {
            "sessions": [session_out(report_of(row, governing)) for row in page.rows],
            "next": _next(page.end, matching),
            "settled": is_settled,
        }
    )


def _places_of(cursor: str) -> tuple[tuple[datetime, int] | None, Place | None]:
    """Start of a page in its part of a search, and start of that part."""
    page, _, part = cursor.partition(BETWEEN)
    at = place_of(part) if part else None
    return place_of(page) if page else None, (microseconds(at[0]), at[1]) if at else None


def _next(end: tuple[datetime, int] | None, matching: MatchingSessions | None) -> str | None:
    """Within this part of a search, then the next part."""
    if end is None and (matching is None or matching.end is None):
        return None
    page = cursor_at(*end) if end else ""
    part = None if matching is None else matching.begin if end else matching.end
    return f"{page}{BETWEEN}{cursor_at(moment(part[0]), part[1])}" if part else page


@router.get("/agent-sessions/{rest:session_id}", auth=CAN_READ, response={200: None})
def get_agent_session(
    request: AccessRequest, session_id: str, query: Query[OneCallQuery]
) -> HttpResponse:
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    session = session_named(project, session_id, query.env)
    if session is None:
        raise NotFound("Session not found.")
    report = report_of(session, Governing([session.environment_id]))
    details = session_details(session)
    return answer(
        {
            **session_out(report),
            "artifacts": [
                {"artifact_id": artifact.artifact_id, "call_id": artifact.call_id,
                 "size_bytes": artifact.size_bytes}
                for artifact in details.artifacts
            ],
            "turns": [turn.as_json() for turn in details.turns],
            "settled": is_settled,
        }
    )  # fmt: skip


@router.delete("/agent-sessions/{rest:session_id}", auth=CAN_DELETE, response={202: None})
def delete_agent_session(
    request: AccessRequest, session_id: str, query: Query[OneCallQuery]
) -> HttpResponse:
    """With all that belongs to it: it is not there any more, and its calls go meanwhile."""
    session = session_named(request.auth.project_id, session_id, query.env)
    if session is None:
        raise NotFound("Session not found.")
    removal = remove_session(session, typed=session.session_id, by=request.auth.actor)
    doorbell.ring(doorbell.REMOVE_SESSION, removal)
    return HttpResponse(status=202)


def session_out(report: SessionReport) -> dict[str, Any]:
    session = report.session
    return {
        "session_id": session.session_id,
        "agent_id": session.agent.name if session.agent else None,
        "environment": session.environment.name,
        "first_at": time_text(session.first_at),
        "last_at": time_text(session.last_at),
        "counts": report.counts,
        "success_rate": rate_out(session),
        "denials": report.denials,
        "limits": [limit.as_json() for limit in report.limits],
        "contract": contract_out(session),
    }


def rate_out(session: Session) -> dict[str, Any]:
    judged = session.successes + session.failures
    if not judged:
        return {"rate": None, "of": 0, "lower": None, "upper": None}
    lower, upper = wilson(session.successes, judged)
    return {"rate": session.successes / judged, "of": judged, "lower": lower, "upper": upper}
