"""Calls and events, read over HTTP."""

from django.http import HttpResponse
from ninja import Query

from governance.core.errors import NotFound
from governance.people.auth import AGENT_HEADER, AccessRequest, KeyOrMember
from governance.people.domain import Scope
from outcomes.calls.api.shapes import call_details, call_out, event_out
from outcomes.calls.queries.calls import newest_events, past_verdicts
from outcomes.calls.schemas import CallsQuery, EventsQuery, OneCallQuery
from outcomes.jobs.api import settled
from outcomes.masking.queries.shown_calls import shown_calls, shown_events
from outcomes.record.selecting import call_named, calls, calls_before
from outcomes.record.stored import read_events
from outcomes.web.cursors import cursor_at, place_of
from outcomes.web.json_answers import answer
from outcomes.web.routing import router

CAN_READ = KeyOrMember("read")


@router.get("/outcomes", auth=CAN_READ, response={200: None})
def list_outcomes(request: AccessRequest, query: Query[CallsQuery]) -> HttpResponse:
    """Calls, open ones included, newest first."""
    is_settled = settled(request, request.auth.project_id, query.wait)
    found = calls(request.auth.project_id, query.filter())
    if query.cursor:
        found = calls_before(found, *place_of(query.cursor))
    rows = list(found[: query.limit + 1])
    shown = rows[: query.limit]
    return answer(
        {
            "outcomes": [call_out(whole) for whole in shown_calls(shown)],
            "next": cursor_at(shown[-1].at, shown[-1].order) if len(rows) > len(shown) else None,
            "settled": is_settled,
        }
    )


@router.get("/outcomes/{rest:call_id}", auth=CAN_READ, response={200: None})
def get_outcome(request: AccessRequest, call_id: str, query: Query[OneCallQuery]) -> HttpResponse:
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    row = call_named(project, call_id, query.env)
    whole = shown_calls([row]) if row else []
    if not whole:
        raise NotFound("There is no such call.")
    details = call_details(whole[0], past_verdicts(whole[0].row))
    return answer({**details, "settled": is_settled})


@router.get("/events", auth=KeyOrMember(), response={200: None})
def list_events(request: AccessRequest, query: Query[EventsQuery]) -> HttpResponse:
    """As normalised, the newest first. A key without `read` sees what its own agent sent."""
    access = request.auth
    environment, agent = "", query.agent_id
    if Scope.READ not in access.scopes:
        environment, agent = access.environment, request.headers.get(AGENT_HEADER, "")
    is_settled = settled(request, access.project_id, query.wait)
    found = newest_events(
        access.project_id, agent=agent, session=query.session_id, environment=environment
    )
    # Without a header such a key names nobody whose events it could see.
    nobody = Scope.READ not in access.scopes and not agent
    rows = [] if nobody else found[: query.limit]
    return answer(
        {
            "events": [event_out(event) for event in shown_events(read_events(rows))],
            "settled": is_settled,
        }
    )
