"""Addresses of sessions and calls, whose ids may hold anything: slashes, dots, line breaks.

In a template they hand on the scope of its page, so that who looks into one thing comes back to
the time, environment and agent that were chosen.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.template import Context
from django.urls import reverse

from outcomes.core.scope import TIMES, Scope, beside_one, handed_on

register = template.Library()

# A browser takes a part "." or ".." out of a path, however it is escaped, so such an id stands in
# the query instead.
ELSEWHERE = "-"


@lru_cache(1_000)
def of_project(page: str, slug: str) -> str:
    """A list of fifty calls asks a hundred times, and the frame of every page twenty."""
    return reverse(page, args=[slug])


def session_url(slug: str, session_id: str, environment: str, **kept: str) -> str:
    base = of_project("outcomes:sessions", slug)
    return _address(base, session_id, environment=environment, **kept)


def call_url(slug: str, call_id: str, environment: str, **kept: str) -> str:
    base = of_project("outcomes:calls", slug)
    return _address(base, call_id, environment=environment, **kept)


def try_url(slug: str, call_id: str, environment: str, **kept: str) -> str:
    query = urlencode({"of": call_id, "environment": environment} | kept)
    return f"{of_project('outcomes:try_call', slug)}?{query}"


def agent_url(slug: str, name: str, **chosen: str) -> str:
    return _address(of_project("outcomes:agents", slug), name, **chosen)


def tool_url(slug: str, name: str, **chosen: str) -> str:
    """The page of a tool, in the scope that is chosen."""
    return _address(of_project("outcomes:tools", slug), name, **chosen)


def artifact_url(slug: str, name: str, **times: str) -> str:
    return _address(of_project("outcomes:artifacts", slug), name, **times)


def denied_by_url(
    slug: str, rule: str, contract: str = "", version: int | None = None, **chosen: str
) -> str:
    """What a rule stopped; a contract and its version narrow it to those."""
    told = {"rule": rule, "contract": contract, "version": version} | chosen
    query = urlencode({name: value for name, value in told.items() if value})
    return f"{of_project('outcomes:denials_of_rule', slug)}?{query}"


@register.simple_tag(takes_context=True, name="session_url")
def _session_url(context: Context, slug: str, session_id: str, environment: str) -> str:
    return session_url(slug, session_id, environment, **_beside_one(context))


@register.simple_tag(takes_context=True, name="call_url")
def _call_url(context: Context, slug: str, call_id: str, environment: str) -> str:
    return call_url(slug, call_id, environment, **_beside_one(context))


@register.simple_tag(takes_context=True, name="agent_url")
def _agent_url(context: Context, slug: str, name: str) -> str:
    chosen = _carried(context).get("environment", "")
    return agent_url(slug, name, **_times(context), **({"environment": chosen} if chosen else {}))


@register.simple_tag(takes_context=True, name="tool_url")
def _tool_url(context: Context, slug: str, name: str) -> str:
    return tool_url(slug, name, **_carried(context))


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
    """A part of a call's page, which has an address of its own."""
    query = urlencode({"of": call_id, "environment": environment} | _beside_one(context))
    return f"{of_project(f'outcomes:{part}', slug)}?{query}"


@register.simple_tag(takes_context=True, name="try_url")
def _try_url(context: Context, slug: str, call_id: str, environment: str) -> str:
    return try_url(slug, call_id, environment, **_beside_one(context))


@register.simple_tag(takes_context=True)
def stop_url(context: Context, slug: str, environment: str, agent: str = "") -> str:
    """Where one is asked whether to stop an agent, or without one the environment."""
    query = {"environment": environment} | ({"agent": agent} if agent else {})
    query |= _beside_one(context)
    return f"{reverse('governance:new_stop', args=[slug])}?{urlencode(query)}"


@register.simple_tag(takes_context=True)
def about_session_url(
    context: Context,
    slug: str,
    page: str,
    session_id: str,
    environment: str,
    *args: Any,
    **more: str,
) -> str:
    """A page or a part that is about one session, and asks for it by its query."""
    told = {"of": session_id, "environment": environment} | more | _beside_one(context)
    query = urlencode(told)
    return f"{reverse(f'outcomes:{page}', args=[slug, *args])}?{query}"


def _carried(context: Context) -> dict[str, str]:
    return _once(context, "scope_carried", handed_on)


def _beside_one(context: Context) -> dict[str, str]:
    return _once(context, "scope_beside_one", beside_one)


def _once(
    context: Context, name: str, told: Callable[[Scope | None, dict[str, str]], dict[str, str]]
) -> dict[str, str]:
    """For a page, which has hundreds of addresses and one scope; nobody changes what is kept."""
    request = context.get("request")
    if request is None:
        return told(*_told(context))
    kept = vars(request)
    if name not in kept:
        kept[name] = told(*_told(context))
    found: dict[str, str] = kept[name]
    return found


def _times(context: Context) -> dict[str, str]:
    return {name: value for name, value in _beside_one(context).items() if name in TIMES}


def _told(context: Context) -> tuple[Scope | None, dict[str, str]]:
    """A part that is drawn without its request is told its scope."""
    request = context.get("request")
    if request is not None:
        return vars(request).get("scope"), request.GET.dict()
    scope = context.get("scope")
    return scope, scope.query() if scope is not None else {}


def _address(base: str, identifier: str, **query: str) -> str:
    path = f"{quote(identifier, safe='')}/"
    if {".", ".."} & set(identifier.split("/")) or identifier == ELSEWHERE:
        path, query = f"{ELSEWHERE}/", query | {"id": identifier}
    return f"{base}{path}?{_query(*query.items())}" if query else f"{base}{path}"


@lru_cache(1_000)  # a list of fifty calls asks for one and the same a hundred times
def _query(*told: tuple[str, str]) -> str:
    return urlencode(told)
