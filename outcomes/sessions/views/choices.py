"""Choices in the session list's URL (filters, text and order), and URLs that change one of
them."""

from dataclasses import dataclass
from typing import Final

from governance.people.auth import MemberRequest
from outcomes.core.scope import Scope
from outcomes.models import Session
from outcomes.search.queries.sources import Place
from outcomes.search.views import query_text
from outcomes.sessions.domain.facets import Chosen
from outcomes.sessions.queries.list import SessionFilter
from outcomes.sessions.queries.order import ORDERS, USUAL, Order
from outcomes.web.narrowing import narrowing_of
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of

STATES: Final = {
    "": "All",
    "running": "Running",
    "waiting": "Waiting",
    "stopped": "Hit limit",
    "ended": "Ended",
}
HAS: Final = {bit.name.lower(): bit for bit in Session.Has}
BACKWARDS: Final = "-"  # prefix of an order's name
DIGITS: Final = 18  # of a number that fits in every database
LATEST: Final = 2**52  # microseconds since 1970, later than any call
LONGEST_TEXT: Final = 1_025  # characters, more than any id or name has


@dataclass(frozen=True, slots=True)
class Choices:
    address: str  # without choices
    scope: Scope
    text: str
    chosen: Chosen
    sort: str  # name of an order, or empty
    turned: bool
    matches: Place | None = None  # start of this part of a search; None: the newest call

    @property
    def filters(self) -> SessionFilter:
        since, until = self.scope.bounds
        return SessionFilter(since=since, until=until, text=self.text, chosen=self.chosen)

    @property
    def order(self) -> Order:
        return ORDERS[self.sort or USUAL]

    def query(self) -> dict[str, str]:
        chosen = self.chosen
        return self.scope.query() | {
            "q": self.text,
            "state": chosen.state,
            "contract": chosen.contract,
            "version": "" if chosen.version is None else str(chosen.version),
            "limit": chosen.limit,
            "has": ",".join(name for name, bit in HAS.items() if chosen.has & bit),
            "sort": self.sort_query(self.sort, turned=self.turned),
            "matches": f"{self.matches[0]}.{self.matches[1]}" if self.matches else "",
        }

    def with_other(self, **other: str) -> str:
        """URL of the list with these choices replaced; an empty value clears one."""
        return with_query(self.address, **self.query() | other)

    def toggled(self, bit: int) -> str:
        has = self.chosen.has ^ bit
        return self.with_other(has=",".join(name for name, flag in HAS.items() if has & flag))

    def sorted_by(self, name: str) -> str:
        """URL of the list in this order, reversed if it already has that order."""
        is_so = name == (self.sort or USUAL)
        return self.with_other(sort=self.sort_query(name, turned=is_so and not self.turned))

    @staticmethod
    def sort_query(name: str, *, turned: bool) -> str:
        name = name or USUAL
        return f"{BACKWARDS}{name}" if turned else name * (name != USUAL)


def choices_of(request: MemberRequest, address: str) -> Choices:
    """Choices from the request's URL. Unknown ones are ignored, so that hand-written URLs work."""
    query, scope, narrowing = request.GET, scope_of(request, is_list=True), narrowing_of(request)
    state, sort = query.get("state", ""), query.get("sort", "")
    has = sum({HAS[name] for name in query.get("has", "").split(",") if name in HAS})
    name = sort.removeprefix(BACKWARDS)
    chosen = Chosen(
        environment=scope.environment,
        agent=scope.agent,
        contract=narrowing.contract,
        version=narrowing.version,
        state=state if state in STATES else "",
        limit=query.get("limit", "").replace("\0", ""),
        has=has,
    )
    return Choices(
        address,
        scope,
        query_text(request)[:LONGEST_TEXT],
        chosen,
        name if name in ORDERS and name != USUAL else "",
        name in ORDERS and sort.startswith(BACKWARDS),
        _matches(query.get("matches", "")),
    )


def _matches(text: str) -> Place | None:
    """Position in the calls from a URL parameter, or None if malformed."""
    at, _, number = text.partition(".")
    if not at.isdecimal() or not number.isdecimal():
        return None
    place = int(at[:DIGITS]), int(number[:DIGITS])
    return place if place[0] < LATEST else None
