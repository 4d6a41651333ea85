"""Tabs of the pages of a contract."""

from typing import NamedTuple

from django.urls import reverse

from governance.contracts.queries.bundles import newest_of, number_of_cases
from governance.contracts.queries.contracts import newest_version, version_numbered
from governance.core.errors import NotFound
from governance.core.numbers import parse_number
from governance.models import Bundle, BundleVersion
from governance.people.auth import MemberRequest


class Tab(NamedTuple):
    words: str
    view: str  # takes the project's slug and the contract's name
    counted: str = ""  # id of the element for the count


class ShownTab(NamedTuple):
    words: str
    url: str
    is_current: bool
    counted: str = ""
    number: int | None = None  # None: unknown here


OVERVIEW = "governance:contract"
TEXT = "governance:contract_text"
COMPARE = "governance:compare_contract"
CASES = "governance:cases"
PLAYGROUND = "governance:playground_of"
AUDIT = "governance:contract_audit"

TABS = (
    Tab("Overview", OVERVIEW),
    Tab("YAML", TEXT),
    Tab("Compare", COMPARE),
    Tab("Tests", CASES, "count-tests"),
    Tab("Playground", PLAYGROUND),
    Tab("Backtests", "outcomes:backtests", "count-backtests"),
    Tab("Would deny", "outcomes:would_deny", "count-would-deny"),
    Tab("Audit", AUDIT),
)


def shown_tabs(request: MemberRequest, bundle: str, current: str) -> list[ShownTab]:
    """Tabs of a contract; `current` is the view of this page, which need not have a tab."""
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


def newest_named(request: MemberRequest, name: str, number: int = 1) -> list[BundleVersion]:
    """Newest versions of a contract: at least one."""
    versions = newest_of(request.project, name, number)
    if not versions:
        raise NotFound("Contract not found.")
    return versions


def version_or_newest(bundle: Bundle, text: str) -> BundleVersion:
    """Version with this number, or the newest if the text isn't a number."""
    number = parse_number(text)
    version = version_numbered(bundle, number) if number else newest_version(bundle)
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version
