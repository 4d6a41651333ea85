"""Scope controls in a page's bar, and the scope parameters that links carry on."""

from datetime import datetime
from typing import NamedTuple, TypedDict
from urllib.parse import quote

from django.http import HttpRequest, QueryDict
from django.utils import timezone

from outcomes.core.moments import time_text
from outcomes.core.scope import ALL, ALL_TIME, CHOSEN, LIVE, NAMES, RANGES, TIMES, USUAL, Scope
from outcomes.web import scope as scopes

# Positions in a list are only valid for its scope, so they are dropped when it changes.
PLACES = ("before", "after")


class Choice(NamedTuple):
    name: str
    words: str
    url: str
    current: bool


class ScopeBar(TypedDict):
    choices: list[Choice]
    parameters: list[tuple[str, str]]  # hidden fields of the time form
    since: datetime | None
    until: datetime | None
    previous: str  # URL, like the next two; empty if there is no such period
    next: str
    fixed: str  # with fixed times instead of a relative range
    not_usual: str  # range that can become the user's default; empty if it is, or if there is none
    by_agent: bool
    agent_parameters: list[tuple[str, str]]  # hidden fields of the agent form
    all_agents: str


def scope_bar(request: HttpRequest, scope: Scope) -> ScopeBar:
    names = {name: words for name, (_, words) in RANGES.items()}
    offered: dict[str, bool] = vars(request)["scope_choices"]
    if offered["all"]:
        names[ALL] = ALL_TIME
    is_chosen = not scope.range
    since, until = scope.bounds if is_chosen else (None, None)
    return ScopeBar(
        choices=[
            Choice(name, words, _with(request, TIMES, range=name), scope.range == name)
            for name, words in names.items()
        ],
        parameters=_pairs(_without(request.GET, "from", "to", *PLACES)),
        since=since,
        until=None if scope.goes_on else until,
        **_periods(request, scope),
        not_usual="" if scope.range == _usual(request) else scope.range,
        by_agent=offered["agent"],
        agent_parameters=_pairs(_without(request.GET, "agent", *PLACES)),
        all_agents=_with(request, ("agent",)) if scope.agent else "",
    )


def _usual(request: HttpRequest) -> str:
    return getattr(request.user, "time_range", "") or USUAL


class Periods(TypedDict):
    previous: str
    next: str
    fixed: str


def _periods(request: HttpRequest, scope: Scope) -> Periods:
    """URLs of the previous and next period, and of this period with fixed times."""
    since, until = scope.bounds
    if since is None or until is None:
        return Periods(previous="", next="", fixed="")
    fixed = _between(request, since, until)
    previous = _between(request, since - scope.length, since)
    return Periods(previous=previous, next=_next(request, scope), fixed=fixed)


def _next(request: HttpRequest, scope: Scope) -> str:
    """URL of the next period; empty if this one reaches up to now. A next period that would extend
    past now becomes the relative range of that length, or an open-ended period."""
    now = timezone.now()
    if scope.range or scope.goes_on or scope.until >= now:
        return ""
    if scope.until + scope.length < now:
        return _between(request, scope.until, scope.until + scope.length)
    lengths = {length: name for name, (length, _) in RANGES.items() if name != LIVE}
    if scope.length in lengths:
        return _with(request, TIMES, range=lengths[scope.length])
    return _with(request, TIMES, **{"from": time_text(scope.until)})


def _between(request: HttpRequest, since: datetime, until: datetime) -> str:
    return _with(request, TIMES, **{"from": time_text(since), "to": time_text(until)})


def _pairs(query: QueryDict) -> list[tuple[str, str]]:
    return [(name, value) for name, values in query.lists() for value in values]


def carried(request: HttpRequest, *, is_entry: bool) -> dict[str, str]:
    """Scope of this page as query parameters for links. On pages without a scope, an environment or
    agent in the URL may identify the entry shown, so it is only carried from entries of the
    navigation."""
    if is_entry and "scope" not in vars(request):
        return {name: value for name in NAMES if (value := request.GET.get(name, ""))}
    return scopes.carried(request)


def carried_on(request: HttpRequest, carried: dict[str, str]) -> dict[str, str]:
    """Parameters for navigation links: if this page can't be filtered by agent, the chosen agent is
    still carried to the next page, but not by other links, as the figures here cover all agents."""
    offered: dict[str, bool] = vars(request).get("scope_choices", {"agent": True})
    agent = request.GET.get("agent", "")
    return carried if offered["agent"] or not agent else carried | {"agent": agent}


def carried_to_one(request: HttpRequest, carried: dict[str, str]) -> dict[str, str]:
    """Parameters for links to one entry, where environment and agent use other names. Only explicit
    choices are included, so that most URLs stay short."""
    times = {name: value for name in TIMES if (value := request.GET.get(name, ""))}
    return times | {there: carried[name] for name, there in CHOSEN.items() if name in carried}


def _with(request: HttpRequest, less: tuple[str, ...], **chosen: str) -> str:
    query = _without(request.GET, *less, *PLACES)
    for name, value in chosen.items():
        query[name] = value
    return f"{quote(request.path)}?{query.urlencode()}"


def _without(query: QueryDict, *names: str) -> QueryDict:
    left = query.copy()
    for name in names:
        left.pop(name, None)
    return left
