"""Sessions and calls named by a URL, and their addresses."""

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest
from outcomes.models import Call, Session
from outcomes.stored.queries import call_named, session_named
from outcomes.web.addresses import ELSEWHERE, call_url, session_url
from outcomes.web.scope import detail_query


def named_session(request: MemberRequest, session_id: str) -> Session:
    """Without an environment in the query, the session seen last with this id."""
    session = session_named(
        request.project.pk, named_id(request, session_id), request.GET.get("environment", "")
    )
    if session is None:
        raise NotFound("Session not found.")
    note_one_environment(request)
    return session


def named_id(request: MemberRequest, identifier: str) -> str:
    """An id that no path can hold is in the query."""
    return request.GET.get("id", identifier) if identifier == ELSEWHERE else identifier


def note_one_environment(request: MemberRequest) -> None:
    """Tells the shell that this page does not exist in another environment."""
    vars(request)["of_one_environment"] = True


def session_at(request: MemberRequest, session: Session) -> str:
    """Its page, with the scope of this page."""
    slug, environment = request.project.slug, session.environment.name
    return session_url(slug, session.session_id, environment, **detail_query(request))


def call_at(request: MemberRequest, call: Call) -> str:
    slug, environment = request.project.slug, call.environment.name
    return call_url(slug, call.call_id, environment, **detail_query(request))


def named_call(request: MemberRequest, call_id: str) -> Call:
    call = call_named(
        request.project.pk, named_id(request, call_id), request.GET.get("environment", "")
    )
    if call is None:
        raise NotFound("Call not found.")
    note_one_environment(request)
    return call
