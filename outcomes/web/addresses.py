"""URLs of sessions, calls, agents, tools and artifacts, whose ids may contain anything: slashes,
dots, line breaks."""

from functools import lru_cache
from urllib.parse import quote, urlencode

from django.urls import reverse

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest
from governance.people.policies import Action, may
from outcomes.models import Call, Session
from outcomes.stored.queries import call_named, session_named
from outcomes.web.scope import detail_query

# Browsers remove "." and ".." segments from a path, even if escaped, so such an id goes into the
# query instead.
ELSEWHERE = "-"


@lru_cache(1_000)
def project_url(page: str, slug: str) -> str:
    """URL of a project page. Cached: a list of fifty calls reverses a hundred URLs, and the page
    layout twenty."""
    return reverse(page, args=[slug])


def session_url(slug: str, session_id: str, environment: str, **query: str) -> str:
    base = project_url("outcomes:sessions", slug)
    return _address(base, session_id, environment=environment, **query)


def call_url(slug: str, call_id: str, environment: str, **query: str) -> str:
    base = project_url("outcomes:calls", slug)
    return _address(base, call_id, environment=environment, **query)


def try_url(slug: str, call_id: str, environment: str, **chosen: str) -> str:
    query = urlencode({"of": call_id, "environment": environment} | chosen)
    return f"{project_url('outcomes:try_call', slug)}?{query}"


def agent_url(slug: str, name: str, **chosen: str) -> str:
    return _address(project_url("outcomes:agents", slug), name, **chosen)


def tool_url(slug: str, name: str, **chosen: str) -> str:
    """URL of a tool's page, in the chosen scope."""
    return _address(project_url("outcomes:tools", slug), name, **chosen)


def principal_url(slug: str, name: str, **chosen: str) -> str:
    return _address(project_url("outcomes:principals", slug), name, **chosen)


def artifact_url(slug: str, name: str, **times: str) -> str:
    return _address(project_url("outcomes:artifacts", slug), name, **times)


def denied_by_url(
    slug: str, rule: str, contract: str = "", version: int | None = None, **chosen: str
) -> str:
    """URL of a rule's denials, optionally of one contract and version."""
    filters = {"rule": rule, "contract": contract, "version": version} | chosen
    query = urlencode({name: value for name, value in filters.items() if value})
    return f"{project_url('outcomes:denials_of_rule', slug)}?{query}"


def opening_url(request: MemberRequest) -> str:
    """URL that *Show* posts to; empty without the permission."""
    may_open = may(request.role, Action.OPEN_VALUE)
    return reverse("outcomes:open_value", args=[request.project.slug]) if may_open else ""


def _address(base: str, identifier: str, **query: str) -> str:
    path = f"{quote(identifier, safe='')}/"
    if {".", ".."} & set(identifier.split("/")) or identifier == ELSEWHERE:
        path, query = f"{ELSEWHERE}/", query | {"id": identifier}
    return f"{base}{path}?{_query(*query.items())}" if query else f"{base}{path}"


@lru_cache(1_000)  # a list of fifty calls needs the same one a hundred times
def _query(*parameters: tuple[str, str]) -> str:
    return urlencode(parameters)


def named_session(request: MemberRequest, session_id: str) -> Session:
    """Session with this id in the environment of the query, else the one seen last."""
    session = session_named(
        request.project.pk, named_id(request, session_id), request.GET.get("environment", "")
    )
    if session is None:
        raise NotFound("Session not found.")
    note_one_environment(request)
    return session


def named_id(request: MemberRequest, identifier: str) -> str:
    """Id from the path, or from the query if a path can't hold it."""
    return request.GET.get("id", identifier) if identifier == ELSEWHERE else identifier


def note_one_environment(request: MemberRequest) -> None:
    """Tell the page layout that this page doesn't exist in other environments."""
    vars(request)["of_one_environment"] = True


def session_at(request: MemberRequest, session: Session) -> str:
    """URL of a session's page, with the scope of the current page."""
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
