"""The part of the bar that chooses the scope of a page, and what navigation carries of it."""

from datetime import datetime
from typing import NamedTuple, TypedDict
from urllib.parse import quote

from django.http import HttpRequest, QueryDict

from outcomes.core.scope import ALL, CHOSEN, NAMES, RANGES, TIMES, Scope
from outcomes.web import scope as scopes

# A place in a list is that of one scope; in another one it leads nowhere.
PLACES = ("before", "after")


class Choice(NamedTuple):
    words: str
    url: str
    current: bool


class ScopeBar(TypedDict):
    choices: list[Choice]
    kept: list[tuple[str, str]]
    since: datetime | None
    until: datetime | None
    of_agent: bool
    every_agent: str


def scope_bar(request: HttpRequest, scope: Scope) -> ScopeBar:
    names = {name: words for name, (_, words) in RANGES.items()}
    offered: dict[str, bool] = vars(request)["scope_choices"]
    if offered["all"]:
        names[ALL] = "All time"
    is_chosen = not scope.range
    since, until = scope.bounds if is_chosen else (None, None)
    kept = _without(request.GET, "from", "to", *(["agent"] if offered["agent"] else []), *PLACES)
    return ScopeBar(
        choices=[
            Choice(words, _with(request, TIMES, "range", name), scope.range == name)
            for name, words in names.items()
        ],
        kept=[(name, value) for name, values in kept.lists() for value in values],
        since=since,
        until=None if scope.goes_on else until,
        of_agent=offered["agent"],
        every_agent=_with(request, ("agent",)) if scope.agent else "",
    )


def carried(request: HttpRequest, *, is_entry: bool) -> dict[str, str]:
    """What an address of this page says of its scope, for those that navigation leads to. Beside
    the pages of the navigation, an environment or an agent may say which one thing is shown."""
    if is_entry and "scope" not in vars(request):
        return {name: value for name in NAMES if (value := request.GET.get(name, ""))}
    return scopes.carried(request)


def carried_on(request: HttpRequest, carried: dict[str, str]) -> dict[str, str]:
    """The same for navigation alone: an agent to which this page cannot be narrowed stays chosen
    for the next one, whose links beside figures of all agents say nothing of it."""
    offered: dict[str, bool] = vars(request).get("scope_choices", {"agent": True})
    agent = request.GET.get("agent", "")
    return carried if offered["agent"] or not agent else carried | {"agent": agent}


def carried_to_one(request: HttpRequest, carried: dict[str, str]) -> dict[str, str]:
    """The same for the address of one thing, beside which an environment or an agent means another:
    no more than was asked for, so that most of these stay short."""
    times = {name: value for name in TIMES if (value := request.GET.get(name, ""))}
    return times | {there: carried[name] for name, there in CHOSEN.items() if name in carried}


def _with(request: HttpRequest, less: tuple[str, ...], name: str = "", value: str = "") -> str:
    query = _without(request.GET, *less, *PLACES)
    if name:
        query[name] = value
    return f"{quote(request.path)}?{query.urlencode()}"


def _without(query: QueryDict, *names: str) -> QueryDict:
    left = query.copy()
    for name in names:
        left.pop(name, None)
    return left
