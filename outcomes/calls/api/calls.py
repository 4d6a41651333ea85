"""Calls and events, read over HTTP."""

from dataclasses import replace

from django.http import HttpResponse
from ninja import Query

from governance.core.errors import NotFound
from governance.people.auth import AGENT_HEADER, AccessRequest, KeyOrMember
from governance.people.domain import Scope
from outcomes.calls.api.shapes import call_details, call_out, event_out
from outcomes.calls.queries.lists import newest_events, past_verdicts
from outcomes.calls.schemas import CallsQuery, EventsQuery, OneCallQuery
from outcomes.jobs.api import settled
from outcomes.masking.queries.shown_calls import shown_calls, shown_events
from outcomes.search.api import cursor_place, place_before, query_of
from outcomes.search.queries.hits import search
from outcomes.stored.queries import call_named, calls, calls_before, read_events
from outcomes.web.api import answer, cursor_at, place_of, router

CAN_READ = KeyOrMember("read")


@router.get("/outcomes", auth=CAN_READ, response={200: None})
def list_outcomes(request: AccessRequest, query: Query[CallsQuery]) -> HttpResponse:
    """Calls, open ones included, newest first."""
    is_settled = settled(request, request.auth.project_id, query.wait)
    if query.q:
        return _outcomes_matching(request.auth.project_id, query, is_settled=is_settled)
    matching = calls(request.auth.project_id, query.filter())
    if query.cursor:
        matching = calls_before(matching, *place_of(query.cursor))
    rows = list(matching[: query.limit + 1])
    shown = rows[: query.limit]
    return answer(
        {
            "outcomes": [call_out(call) for call in shown_calls(shown)],
            "next": cursor_at(shown[-1].at, shown[-1].order) if len(rows) > len(shown) else None,
            "settled": is_settled,
        }
    )


def _outcomes_matching(project: int, query: CallsQuery, *, is_settled: bool) -> HttpResponse:
    """Matching outcomes, perhaps fewer than `limit`: one request reads a bounded number."""
    hits = search(
        project,
        query_of(query.q),
        replace(query.filter(), text=""),
        size=query.limit,
        before=place_before(place_of(query.cursor) if query.cursor else None),
    )
    return answer(
        {
            "outcomes": [call_out(call) for call in shown_calls(hits.rows)],
            "next": cursor_at(*cursor_place(hits.end)) if hits.end else None,
            "settled": is_settled,
        }
    )


@router.get("/outcomes/{rest:call_id}", auth=CAN_READ, response={200: None})
def get_outcome(request: AccessRequest, call_id: str, query: Query[OneCallQuery]) -> HttpResponse:
    project = request.auth.project_id
    is_settled = settled(request, project, query.wait)
    row = call_named(project, call_id, query.env)
    shown = shown_calls([row]) if row else []
    if not shown:
        raise NotFound("Call not found.")
    details = call_details(shown[0], past_verdicts(shown[0].row))
    return answer({**details, "settled": is_settled})


@router.get("/events", auth=KeyOrMember(), response={200: None})
def list_events(request: AccessRequest, query: Query[EventsQuery]) -> HttpResponse:
    """Normalised events, newest first. A key without `read` sees what its own agent sent."""
    access = request.auth
    environment, agent = "", query.agent_id
    if Scope.READ not in access.scopes:
        environment, agent = access.environment, request.headers.get(AGENT_HEADER, "")
    is_settled = settled(request, access.project_id, query.wait)
    events = newest_events(
        access.project_id, agent=agent, session=query.session_id, environment=environment
    )
    # Without a header, such a key identifies no agent whose events it could see.
    nobody = Scope.READ not in access.scopes and not agent
    rows = [] if nobody else events[: query.limit]
    return answer(
        {
            "events": [event_out(event) for event in shown_events(read_events(rows))],
            "settled": is_settled,
        }
    )
