"""Tabs of a contract, for pages about it in other apps."""

from typing import Any

from django import template

from governance.contracts.views.tabs import ShownTab, shown_tabs

register = template.Library()


@register.simple_tag(takes_context=True)
def contract_tabs(context: dict[str, Any], bundle: str, current: str) -> list[ShownTab]:
    return shown_tabs(context["request"], bundle, current)
