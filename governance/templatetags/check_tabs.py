"""Tabs of success checks, for pages about them in other apps."""

from typing import Any

from django import template

from governance.checks.views import tabs as check_tabs
from governance.contracts.views.tabs import ShownTab

register = template.Library()


@register.simple_tag(takes_context=True)
def tabs_of_all_checks(context: dict[str, Any], current: str) -> list[ShownTab]:
    return check_tabs.tabs_of_all(context["request"], current)


@register.simple_tag(takes_context=True)
def tabs_of_check(context: dict[str, Any], name: str, current: str) -> list[ShownTab]:
    return check_tabs.tabs_of_one(context["request"], name, current)
