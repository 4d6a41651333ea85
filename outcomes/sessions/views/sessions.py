"""Session list and its live part."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.web.table_files import table_file
from outcomes.core.scope import NAMES
from outcomes.figures.comparison import newest_event
from outcomes.figures.queries.doubt import doubt_by_session
from outcomes.models import Session
from outcomes.search.domain.language import QueryError, parse
from outcomes.search.queries.sessions import MatchingSessions, matching_sessions
from outcomes.search.views import search_field
from outcomes.search.words import part_words
from outcomes.sessions.domain.facets import Chosen, Facets, facets_of
from outcomes.sessions.queries.groups import EXACT_UP_TO, bounded, session_groups
from outcomes.sessions.queries.list import (
    IN_A_FILE,
    SessionFilter,
    any_session,
    sessionless_agents,
    sessions_shown,
)
from outcomes.sessions.queries.order import ORDERS, PLACE, USUAL, Order
from outcomes.sessions.queries.page import Asking, asking_sessions, state_of
from outcomes.sessions.tables import SESSIONS
from outcomes.sessions.views.choices import STATES, Choices, choices_of
from outcomes.sessions.views.facets import facets_shown, heads_of
from outcomes.sessions.views.session import in_list
from outcomes.sessions.words import sentences
from outcomes.sessions.words.previous import previous_period_words
from outcomes.stored.queries import CallFilter
from outcomes.web.columns import Columns
from outcomes.web.narrowing import narrowing_context, narrowing_of
from outcomes.web.paging import Page, Place, every, hash_of, links_of, start_of, with_query

CARRIED: Final = ("q", "state", "limit", "has", "sort")  # in addition to scope and contract
COLUMNS: Final = Columns(
    "sessions",
    {
        "agent": "Agent",
        "environment": "Environment",
        "contract": "Contract",
        "calls": "Calls",
        "rate": "Success",
        "failures": "Failed",
        "denied": "Denied",
        "marks": "Marks",
        "state": "State",
        "lasted": "Lasted",
        "seen": "Last seen",
    },
    frozenset({"agent", "environment", "calls", "rate", "denied", "state", "seen"}),
)
NO_SESSIONS: Final = "No sessions yet"
NO_MATCHES: Final = "No sessions match these filters."
NO_MATCHES_SO_FAR: Final = "No matches so far. Older calls are not searched yet."
FULL_CHECK_EVERY: Final = 15  # seconds: sessions end and approvals expire without an event


@require_safe
@member_page()
def sessions(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    choices = _choices(request)
    context = _list(request, choices) | {
        "page_title": "Sessions",
        "column_choices": COLUMNS.choices(request),
        "sessionless": [
            (each, _without_session_url(request, agent=each.agent))
            for each in sessionless_agents(request.project.pk, request.GET.get("environment", ""))
        ],
        "without_session_url": _without_session_url(request),
    }
    slug, query = request.project.slug, choices.query() | {"matches": ""}
    for name, view in (
        ("saved_views_url", "saved_views"),
        ("view_choices_url", "saved_view_choices"),
    ):
        context[name] = with_query(reverse(f"outcomes:{view}", args=[slug]), **query)
    others = {name: request.GET.get(name, "") for name in (*NAMES, *CARRIED)} | {"q": choices.text}
    context["field"] = search_field(request, query)
    context |= narrowing_context(request, narrowing_of(request), request.path, **others)
    return render(request, "sessions/sessions.html", context)


def _without_session_url(request: MemberRequest, **chosen: str) -> str:
    """URL of the calls without a session, in the scope of this list."""
    query = request.GET.copy()
    for name in (*CARRIED, "before", "after"):
        query.pop(name, None)
    for name, value in {"session": "none", **chosen}.items():
        query[name] = value
    return f"{reverse('outcomes:calls', args=[request.project.slug])}?{query.urlencode()}"


@require_POST
@member_page()
def choose_columns(request: MemberRequest) -> HttpResponse:
    """Save the chosen columns, and return to the list with its query."""
    here = reverse("outcomes:sessions", args=[request.project.slug])
    query = QueryDict(request.POST.get("query", "")).urlencode()
    answer = redirect(f"{here}?{query}" if query else here)
    COLUMNS.keep(answer, request.POST.getlist("column"), secure=request.is_secure())
    return answer


@require_safe
@member_page()
def session_rows(request: MemberRequest) -> HttpResponse:
    newest, known = newest_event(request.project.pk), request.GET.get("tag", "")
    is_as_known = known.startswith(f"{newest}.")
    if is_as_known and int(timezone.now().timestamp()) % FULL_CHECK_EVERY:
        return HttpResponse(status=204)
    context = _list(request, _choices(request))
    if known == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "sessions/_session_rows.html", context | {"alone": True})


def _choices(request: MemberRequest) -> Choices:
    return choices_of(request, reverse("outcomes:sessions", args=[request.project.slug]))


def _file(request: MemberRequest) -> HttpResponseBase | None:
    project, now, choices = request.project.pk, timezone.now(), _choices(request)

    def rows() -> Iterator[Session]:
        asking = asking_sessions(project, now)
        for filters in _parts(project, choices):
            are_many = session_groups(project, filters, now, asking).are_many
            order, turned = _order(choices, are_many=are_many)
            page = partial(sessions_shown, project, filters, now, asking, order=order)
            many = partial(page, turned=turned, size=IN_A_FILE)
            yield from every(partial(_page_before, many), PLACE)

    return table_file(request, request.project, "sessions", SESSIONS, rows)


def _page_before(page: Callable[..., Page[Session]], before: Place | None) -> Page[Session]:
    return page(before=before)


def _list(request: MemberRequest, choices: Choices) -> dict[str, Any]:
    now, project = timezone.now(), request.project.pk
    asking = asking_sessions(project, now)
    filters = bounded(project, _filters(project, choices))
    counted = session_groups(project, filters, now, asking)
    facets = facets_of(counted.groups, choices.chosen)
    order, turned = _order(choices, are_many=counted.are_many)
    start = start_of(request.GET, PLACE, order.kinds)
    page = sessions_shown(
        project,
        filters,
        now,
        asking,
        order=order,
        turned=turned,
        before=start.before,
        after=start.after,
    )
    doubt = doubt_by_session(project, page.rows)
    rows = [(row, state_of(row, now, asking), doubt[row.pk]) for row in page.rows]
    tag = (
        f"{counted.newest_event}.{hash_of([(in_list(row), *more) for row, *more in rows], facets)}"
    )
    address = choices.with_other()
    is_new = not facets.all and not any_session(project)
    environments = len(navigation_of(request, request.project).waiting)
    return {
        "rows": rows,
        "tag": tag,
        "choices": choices,
        **_part(filters, choices),
        "columns": _columns(request, choices, environments),
        "is_new": is_new,
        "sentence": NO_SESSIONS
        if is_new
        else _sentence(choices, facets, filters, is_exact=counted.is_exact),
        "before": _before(choices, project, now),
        "states": _states(choices, facets),
        "facets": facets_shown(
            facets if facets.all else _without_hits(project, choices, now, asking),
            choices,
            environments=environments,
        ),
        "heads": heads_of(choices, indexed_only=counted.are_many),
        "is_exact": counted.is_exact,
        "are_many": counted.are_many,
        "exact_up_to": EXACT_UP_TO,
        "shown": _shown(len(rows), facets, order, turned=turned, is_exact=counted.is_exact),
        "links": links_of(page, PLACE, address),
        "live_url": _live(request, choices, tag) if start.is_newest and not choices.text else "",
    }


def _columns(request: MemberRequest, choices: Choices, environments: int) -> frozenset[str]:
    """Columns to show, without the environment if all rows have the same one."""
    has_several = environments > 1 and not choices.chosen.environment
    return COLUMNS.shown(request) - (frozenset() if has_several else {"environment"})


def _without_hits(project: int, choices: Choices, now: datetime, asking: Asking) -> Facets:
    """Facets of an empty list: all values of the period, so that filters stay in place."""
    since, until = choices.scope.bounds
    every = bounded(project, SessionFilter(since=since, until=until))
    known = facets_of(session_groups(project, every, now, asking).groups, Chosen())
    return known.without_counts()


def _filters(project: int, choices: Choices) -> SessionFilter:
    """Filters with the sessions that the search finds; an invalid search finds none."""
    filters = choices.filters
    if not choices.text:
        return filters
    calls = CallFilter(since=filters.since, until=filters.until)
    try:
        matching = matching_sessions(project, parse(choices.text), calls, before=choices.matches)
    except QueryError:
        matching = MatchingSessions()
    return replace(filters, matching=matching)


def _parts(project: int, choices: Choices) -> Iterator[SessionFilter]:
    """Filters for each part of a search, newest first; without a search, those of the list."""
    choices = replace(choices, matches=None)
    while True:
        filters = bounded(project, _filters(project, choices))
        yield filters
        if filters.matching is None or filters.matching.end is None:
            return
        choices = replace(choices, matches=filters.matching.end)


def _part(filters: SessionFilter, choices: Choices) -> dict[str, str]:
    """Note on the part of a search that is listed, and the URLs of other parts."""
    matching = filters.matching
    if matching is None:
        return {"search_note": ""}
    end = f"{matching.end[0]}.{matching.end[1]}" if matching.end else ""
    return {
        "search_note": part_words(matching),
        "newest_matches": choices.with_other(matches="") if matching.begin else "",
        "older_matches": choices.with_other(matches=end) if end else "",
    }


def _order(choices: Choices, *, are_many: bool) -> tuple[Order, bool]:
    """Chosen order, or the usual one if it has no index and there are too many sessions."""
    if not are_many or choices.order.indexed:
        return choices.order, choices.turned
    return ORDERS[USUAL], False


def _live(request: MemberRequest, choices: Choices, tag: str) -> str:
    rows = reverse("outcomes:session_rows", args=[request.project.slug])
    return with_query(rows, **choices.query(), tag=tag)


def _states(choices: Choices, facets: Facets) -> list[tuple[str, str, int, str]]:
    state = choices.chosen.state
    return [
        (
            name,
            word,
            facets.states[name] if name else facets.all,
            choices.with_other(state=name),
        )
        for name, word in STATES.items()
        if name != "waiting" or facets.states["waiting"] or state == "waiting"
    ]


def _shown(rows: int, facets: Facets, order: Order, *, turned: bool, is_exact: bool) -> str:
    words = order.turned if turned else order.words
    if is_exact:
        return f"{rows:,} of {facets.shown:,}, {words}"
    return f"{rows:,}, {words}"


def _before(choices: Choices, project: int, now: datetime) -> str:
    """Comparison with the previous period; empty for a text search."""
    scope, filters = choices.scope, choices.filters
    if scope.bounds[0] is None or filters.text:
        return ""
    previous = scope.previous
    counted = session_groups(
        project, replace(filters, since=previous.since, until=previous.until), now, Asking()
    )
    if not counted.is_exact:
        return ""
    return previous_period_words(facets_of(counted.groups, choices.chosen), scope.before_words)


def _sentence(choices: Choices, facets: Facets, filters: SessionFilter, *, is_exact: bool) -> str:
    state = choices.chosen.state
    if not facets.all and filters.matching is not None and filters.matching.end is not None:
        return NO_MATCHES_SO_FAR
    if not facets.all:
        by_time_alone = not choices.text and choices.chosen == Chosen()
        return f"No sessions {choices.scope.in_words}" if by_time_alone else NO_MATCHES
    if state:
        sentence = sentences.state_sentence(state, facets.states[state], facets.premature)
    else:
        sentence = sentences.sessions_sentence(
            total=facets.all,
            running=facets.states["running"],
            waiting=facets.states["waiting"],
            stopped=facets.states["stopped"],
            premature=facets.premature,
        )
    return sentence if is_exact else f"More than {EXACT_UP_TO:,} sessions. Newest: {sentence}"
