"""Display of people: their chosen name, or their email address."""

from typing import Any

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.actor import shown
from governance.people.queries.people import names_by_email

register = template.Library()


@register.simple_tag(takes_context=True)
def actor(context: Context, written: str) -> str | SafeString:
    """Name of a member, with the email address as title; otherwise the actor's label."""
    label = shown(written)
    name = _member_names(context.get("request")).get(label, "")
    return format_html('<span title="{}">{}</span>', label, name) if name else label


def _member_names(request: Any) -> dict[str, str]:
    """Names of the project's members, read once per request and only if an actor is shown."""
    project = getattr(request, "project", None)
    if project is None:
        return {}
    if not hasattr(request, "member_names"):
        request.member_names = names_by_email(project)
    names: dict[str, str] = request.member_names
    return names
