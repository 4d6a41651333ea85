"""The session, the call or the tool that a URL names, in the environment that it names; and where
a session and a call are."""

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest
from outcomes.calls.queries.calls import call_named
from outcomes.core.scope import Scope
from outcomes.models import Call, Session
from outcomes.sessions.queries.reports import session_named
from outcomes.tools.queries.tools import NamedTool, tool_named
from outcomes.web.addresses import ELSEWHERE, call_url, session_url
from outcomes.web.scope import kept_beside_one


def named_session(request: MemberRequest, session_id: str) -> Session:
    """Without an environment, that seen last under this id."""
    found = session_named(
        request.project.pk, _whole(request, session_id), request.GET.get("environment", "")
    )
    if found is None:
        raise NotFound("There is no such session.")
    _is_of_one_environment(request)
    return found


def named_call(request: MemberRequest, call_id: str) -> Call:
    found = call_named(
        request.project.pk, _whole(request, call_id), request.GET.get("environment", "")
    )
    if found is None:
        raise NotFound("There is no such call.")
    _is_of_one_environment(request)
    return found


def named_tool(request: MemberRequest, name: str, scope: Scope) -> NamedTool:
    found = tool_named(request.project.pk, _whole(request, name), scope)
    if found is None:
        raise NotFound("There is no such tool.")
    return found


def _is_of_one_environment(request: MemberRequest) -> None:
    """Tells the shell: in another environment there is no such page to go to."""
    vars(request)["of_one_environment"] = True


def session_at(request: MemberRequest, session: Session) -> str:
    """Its page, with what was chosen before."""
    slug, environment = request.project.slug, session.environment.name
    return session_url(slug, session.session_id, environment, **kept_beside_one(request))


def call_at(request: MemberRequest, call: Call) -> str:
    slug, environment = request.project.slug, call.environment.name
    return call_url(slug, call.call_id, environment, **kept_beside_one(request))


def _whole(request: MemberRequest, identifier: str) -> str:
    return request.GET.get("id", identifier) if identifier == ELSEWHERE else identifier
