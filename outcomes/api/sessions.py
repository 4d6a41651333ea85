"""Agent sessions, read over HTTP."""

from django.db.models import Q
from django.http import HttpResponse
from ninja import Query

from governance.auth import AccessRequest, KeyOrMember
from governance.domain.errors import NotFound
from governance.queries import Governing
from outcomes import queries
from outcomes.api.answers import answer
from outcomes.api.cursors import cursor_at, place_of
from outcomes.api.routing import router
from outcomes.api.shapes import session_out
from outcomes.api.waiting import settled
from outcomes.schemas import OneCallQuery, SessionsQuery

CAN_READ = KeyOrMember("read")


@router.get("/agent-sessions", auth=CAN_READ, response={200: None})
def list_sessions(request: AccessRequest, query: Query[SessionsQuery]) -> HttpResponse:
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    found = queries.sessions(project, environment=query.env, agent=query.agent, text=query.q)
    if query.since is not None:
        found = found.filter(last_at__gte=query.since)
    if query.until is not None:
        found = found.filter(first_at__lt=query.until)
    if query.cursor:
        at, number = place_of(query.cursor)
        found = found.filter(Q(last_at__lt=at) | Q(last_at=at, id__lt=number))
    rows = list(found[: query.limit + 1])
    shown = rows[: query.limit]
    governing = Governing({row.environment_id for row in shown})
    last = shown[-1] if len(rows) > len(shown) else None
    return answer(
        {
            "sessions": [session_out(queries.report_of(row, governing)) for row in shown],
            "next": cursor_at(last.last_at, last.pk) if last and last.last_at else None,
            "settled": is_settled,
        }
    )


@router.get("/agent-sessions/{rest:session_id}", auth=CAN_READ, response={200: None})
def get_session(
    request: AccessRequest, session_id: str, query: Query[OneCallQuery]
) -> HttpResponse:
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    session = queries.session_named(project, session_id, query.env)
    if session is None:
        raise NotFound("There is no such session.")
    report = queries.report_of(session, Governing([session.environment_id]))
    told = queries.told_by(session)
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
