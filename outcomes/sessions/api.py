"""Agent sessions, read over HTTP."""

from typing import Any

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
from outcomes.record.sessions import session_named
from outcomes.sessions.commands.removal import remove_session
from outcomes.sessions.queries.details import told_by
from outcomes.sessions.queries.reports import SessionReport, report_of
from outcomes.sessions.queries.search import sessions_with
from outcomes.web.cursors import cursor_at, place_of
from outcomes.web.json_answers import answer
from outcomes.web.routing import router

CAN_READ = KeyOrMember("read")
CAN_DELETE = KeyOrMember(action=Action.DELETE_SESSION)


@router.get("/agent-sessions", auth=CAN_READ, response={200: None})
def list_sessions(request: AccessRequest, query: Query[CallsQuery]) -> HttpResponse:
    """Sessions with a call that fits the filter, the one seen last first."""
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    before = place_of(query.cursor) if query.cursor else None
    found = sessions_with(project, query.filter(), limit=query.limit, before=before)
    governing = Governing({row.environment_id for row in found.rows})
    return answer(
        {
            "sessions": [session_out(report_of(row, governing)) for row in found.rows],
            "next": cursor_at(*found.end) if found.end else None,
            "settled": is_settled,
        }
    )


@router.get("/agent-sessions/{rest:session_id}", auth=CAN_READ, response={200: None})
def get_session(
    request: AccessRequest, session_id: str, query: Query[OneCallQuery]
) -> HttpResponse:
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    session = session_named(project, session_id, query.env)
    if session is None:
        raise NotFound("There is no such session.")
    report = report_of(session, Governing([session.environment_id]))
    told = told_by(session)
    return answer(
        {
            **session_out(report),
            "artifacts": [
                {"artifact_id": artifact.artifact_id, "call_id": artifact.call_id,
                 "size_bytes": artifact.size_bytes}
                for artifact in told.artifacts
            ],
            "turns": [turn.as_json() for turn in told.turns],
            "settled": is_settled,
        }
    )  # fmt: skip


@router.delete("/agent-sessions/{rest:session_id}", auth=CAN_DELETE, response={202: None})
def delete_session(
    request: AccessRequest, session_id: str, query: Query[OneCallQuery]
) -> HttpResponse:
    """With all that belongs to it: it is not there any more, and its calls go meanwhile."""
    session = session_named(request.auth.project_id, session_id, query.env)
    if session is None:
        raise NotFound("There is no such session.")
    remove_session(session, typed=session.session_id, by=request.auth.actor)
    doorbell.ring_for_jobs()
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
