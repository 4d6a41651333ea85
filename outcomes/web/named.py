"""The id that a URL names, the session that it names, and where a session and a call are."""

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest
from outcomes.models import Call, Session
from outcomes.record.sessions import session_named
from outcomes.web.addresses import ELSEWHERE, call_url, session_url
from outcomes.web.scope import kept_beside_one


def named_session(request: MemberRequest, session_id: str) -> Session:
    """Without an environment, that seen last under this id."""
    found = session_named(
        request.project.pk, named_id(request, session_id), request.GET.get("environment", "")
    )
    if found is None:
        raise NotFound("There is no such session.")
    note_one_environment(request)
    return found


def named_id(request: MemberRequest, identifier: str) -> str:
    """An id that no path can hold is in the query."""
    return request.GET.get("id", identifier) if identifier == ELSEWHERE else identifier


def note_one_environment(request: MemberRequest) -> None:
    """For the shell: in another environment there is no such page to go to."""
    vars(request)["of_one_environment"] = True


def session_at(request: MemberRequest, session: Session) -> str:
    """Its page, with what was chosen before."""
    slug, environment = request.project.slug, session.environment.name
    return session_url(slug, session.session_id, environment, **kept_beside_one(request))


def call_at(request: MemberRequest, call: Call) -> str:
    slug, environment = request.project.slug, call.environment.name
    return call_url(slug, call.call_id, environment, **kept_beside_one(request))
