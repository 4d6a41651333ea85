"""The tabs of a contract's pages. Who adds a page adds its tab here."""

from typing import NamedTuple

from django.urls import reverse

from governance.contracts.queries.bundles import number_of_cases
from governance.people.auth import MemberRequest


class Tab(NamedTuple):
    words: str
    view: str  # of an address that takes the project's slug and the bundle's name
    counted: str = ""  # the id of the place for how many there are


class ShownTab(NamedTuple):
    words: str
    url: str
    is_current: bool
    counted: str = ""
    number: int | None = None  # none: not known here


OVERVIEW = "governance:contract"
TEXT = "governance:contract_text"
COMPARE = "governance:compare_contract"
CASES = "governance:cases"
PLAYGROUND = "governance:playground_of"
AUDIT = "governance:contract_audit"

TABS = (
    Tab("Overview", OVERVIEW),
    Tab("Text", TEXT),
    Tab("Compare", COMPARE),
    Tab("Tests", CASES, "count-tests"),
    Tab("Playground", PLAYGROUND),
    Tab("Backtests", "outcomes:backtests", "count-backtests"),
    Tab("Would have been denied", "outcomes:would_deny", "count-would-deny"),
    Tab("Audit", AUDIT),
)


def shown_tabs(request: MemberRequest, bundle: str, current: str) -> list[ShownTab]:
    """`current` is a view among them, or another when none is the page that is shown."""
    slug = request.project.slug
    known = {CASES: number_of_cases(request.project, bundle)}
    return [
        ShownTab(
            tab.words,
            reverse(tab.view, args=[slug, bundle]),
            tab.view == current,
            tab.counted,
            known.get(tab.view),
        )
        for tab in TABS
    ]
