"""Tabs of the pages of checks. Add the tab of a new page here."""

from django.urls import reverse

from governance.contracts.views.tabs import ShownTab, Tab
from governance.people.auth import MemberRequest

CHECKS = "governance:checks"
BINDINGS = "governance:check_bindings"
OVERVIEW = "governance:check"
COMPARE = "governance:compare_check"
AUDIT = "governance:check_audit"

OF_ALL = (
    Tab("Checks", CHECKS),
    Tab("Bindings", BINDINGS),
    Tab("Suggestions", "outcomes:suggestions"),
    Tab("Disagreements", "outcomes:disagreements"),
    Tab("Reclassify", "outcomes:reclassifications"),
)
OF_ONE = (
    Tab("Overview", OVERVIEW),
    Tab("Compare", COMPARE),
    Tab("Impact", "outcomes:check_backtests"),
    Tab("Verdicts", "outcomes:check_verdicts"),
    Tab("Audit", AUDIT),
)


def tabs_of_all(request: MemberRequest, current: str) -> list[ShownTab]:
    return [
        ShownTab(tab.words, reverse(tab.view, args=[request.project.slug]), tab.view == current)
        for tab in OF_ALL
    ]


def tabs_of_one(request: MemberRequest, name: str, current: str) -> list[ShownTab]:
    """Tabs of one check; `current` is the view of this page, which need not have a tab."""
    slug = request.project.slug
    return [
        ShownTab(tab.words, reverse(tab.view, args=[slug, name]), tab.view == current)
        for tab in OF_ONE
    ]
