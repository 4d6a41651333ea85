"""Template tags for URLs. They pass on the page's scope, so that a reader who opens one item comes
back to the same time range, environment and agent."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse

from outcomes.core.scope import TIMES, Scope, detail_parameters, handed_on
from outcomes.models import Session
from outcomes.web.addresses import (
    agent_url,
    artifact_url,
    call_url,
    denied_by_url,
    principal_url,
    project_url,
    session_url,
    tool_url,
    try_url,
)

register = template.Library()


@register.simple_tag(takes_context=True, name="session_url")
def _session_url(context: Context, slug: str, session_id: str, environment: str) -> str:
    return session_url(slug, session_id, environment, **_detail_query(context))


@register.simple_tag(takes_context=True, name="call_url")
def _call_url(context: Context, slug: str, call_id: str, environment: str) -> str:
    return call_url(slug, call_id, environment, **_detail_query(context))


@register.simple_tag(takes_context=True, name="agent_url")
def _agent_url(context: Context, slug: str, name: str) -> str:
    chosen = _carried(context).get("environment", "")
    return agent_url(slug, name, **_times(context), **({"environment": chosen} if chosen else {}))


@register.simple_tag(takes_context=True, name="tool_url")
def _tool_url(context: Context, slug: str, name: str) -> str:
    return tool_url(slug, name, **_carried(context))


@register.simple_tag(takes_context=True, name="principal_url")
def _principal_url(context: Context, slug: str, name: str) -> str:
    return principal_url(slug, name, **_carried(context))


@register.simple_tag(takes_context=True, name="artifact_url")
def _artifact_url(context: Context, slug: str, name: str) -> str:
    return artifact_url(slug, name, **_times(context))


@register.simple_tag(takes_context=True, name="denied_by_url")
def _denied_by_url(
    context: Context, slug: str, rule: str, contract: str = "", version: int | None = None
) -> str:
    return denied_by_url(slug, rule, contract, version, **_carried(context))


@register.simple_tag(takes_context=True)
def call_part_url(context: Context, slug: str, part: str, call_id: str, environment: str) -> str:
    """URL of a part of a call's page that is loaded separately."""
    query = urlencode({"of": call_id, "environment": environment} | _detail_query(context))
    return f"{project_url(f'outcomes:{part}', slug)}?{query}"


@register.simple_tag(takes_context=True, name="try_url")
def _try_url(context: Context, slug: str, call_id: str, environment: str) -> str:
    return try_url(slug, call_id, environment, **_detail_query(context))


@register.simple_tag(takes_context=True)
def stop_url(context: Context, slug: str, environment: str, agent: str = "") -> str:
    """URL of the form that stops an agent or, without one, the environment."""
    query = {"environment": environment} | ({"agent": agent} if agent else {})
    query |= _detail_query(context)
    return f"{reverse('governance:new_stop', args=[slug])}?{urlencode(query)}"


@register.simple_tag(takes_context=True)
def about_session_url(
    context: Context, slug: str, page: str, session: Session, *args: Any, **more: str
) -> str:
    """URL of a page or part about one session, with the session in the query."""
    parameters = {"of": session.session_id, "environment": session.environment.name} | more
    query = urlencode(parameters | _detail_query(context))
    return f"{reverse(f'outcomes:{page}', args=[slug, *args])}?{query}"


def _carried(context: Context) -> dict[str, str]:
    return _once(context, "scope_carried", handed_on)


def _detail_query(context: Context) -> dict[str, str]:
    return _once(context, "scope_detail_query", detail_parameters)


def _once(
    context: Context, name: str, compute: Callable[[Scope | None, dict[str, str]], dict[str, str]]
) -> dict[str, str]:
    """Compute once per request: a page has hundreds of URLs and one scope."""
    request = context.get("request")
    if request is None:
        return compute(*_scope_and_parameters(context))
    cache = vars(request)
    if name not in cache:
        cache[name] = compute(*_scope_and_parameters(context))
    cached: dict[str, str] = cache[name]
    return cached


def _times(context: Context) -> dict[str, str]:
    return {name: value for name, value in _detail_query(context).items() if name in TIMES}


def _scope_and_parameters(context: Context) -> tuple[Scope | None, dict[str, str]]:
    """Scope and parameters, from the context if a part is rendered without a request."""
    request = context.get("request")
    if request is not None:
        return vars(request).get("scope"), request.GET.dict()
    scope = context.get("scope")
    return scope, scope.query() if scope is not None else {}
