"""Addresses of sessions and calls, whose ids may hold anything: slashes, dots, line breaks."""

from typing import Any
from urllib.parse import quote, urlencode

from django import template
from django.urls import reverse

register = template.Library()

# A browser takes a part "." or ".." out of a path, however it is escaped, so such an id stands in
# the query instead.
ELSEWHERE = "-"


@register.simple_tag
def session_url(slug: str, session_id: str, environment: str) -> str:
    return _address(reverse("outcomes:sessions", args=[slug]), session_id, environment=environment)


@register.simple_tag
def call_url(slug: str, call_id: str, environment: str) -> str:
    return _address(reverse("outcomes:calls", args=[slug]), call_id, environment=environment)


@register.simple_tag
def call_part_url(slug: str, part: str, call_id: str, environment: str) -> str:
    """A part of a call's page, which has an address of its own."""
    query = urlencode({"of": call_id, "environment": environment})
    return f"{reverse(f'outcomes:{part}', args=[slug])}?{query}"


@register.simple_tag
def try_url(slug: str, call_id: str, environment: str) -> str:
    query = urlencode({"of": call_id, "environment": environment})
    return f"{reverse('outcomes:try_call', args=[slug])}?{query}"


@register.simple_tag
def agent_url(slug: str, name: str) -> str:
    return _address(reverse("outcomes:agents", args=[slug]), name)


@register.simple_tag
def tool_url(slug: str, name: str, **chosen: str) -> str:
    """The page of a tool, in the scope that is chosen."""
    return _address(reverse("outcomes:tools", args=[slug]), name, **chosen)


@register.simple_tag
def denied_by_url(slug: str, rule: str, contract: str = "", version: int | None = None) -> str:
    """What a rule stopped; a contract and its version narrow it to those."""
    told = {"rule": rule, "contract": contract, "version": version}
    query = urlencode({name: value for name, value in told.items() if value})
    return f"{reverse('outcomes:denials_of_rule', args=[slug])}?{query}"


@register.simple_tag
def artifact_url(slug: str, name: str) -> str:
    return _address(reverse("outcomes:artifacts", args=[slug]), name)


@register.simple_tag
def stop_url(slug: str, environment: str, agent: str = "") -> str:
    """Where one is asked whether to stop an agent, or without one the environment."""
    query = {"environment": environment} | ({"agent": agent} if agent else {})
    return f"{reverse('governance:new_stop', args=[slug])}?{urlencode(query)}"


@register.simple_tag
def about_session_url(
    slug: str, page: str, session_id: str, environment: str, *args: Any, **more: str
) -> str:
    """A page or a part that is about one session, and asks for it by its query."""
    query = urlencode({"of": session_id, "environment": environment} | more)
    return f"{reverse(f'outcomes:{page}', args=[slug, *args])}?{query}"


def _address(base: str, identifier: str, **query: str) -> str:
    path = f"{quote(identifier, safe='')}/"
    if {".", ".."} & set(identifier.split("/")) or identifier == ELSEWHERE:
        path, query = f"{ELSEWHERE}/", query | {"id": identifier}
    return f"{base}{path}?{urlencode(query)}" if query else f"{base}{path}"
