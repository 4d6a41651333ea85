"""Lists of calls: of a session, of an agent, or without a session."""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.core.figures import counted
from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.calls.queries.lists import (
    IN_FILE,
    PLACE_IN_SESSION,
    SHOWN,
    Fold,
    calls_by_time,
    calls_of_session,
    denied_call,
    folds_of,
    numbers_of,
    same_as,
)
from outcomes.calls.views.differences import differences_context
from outcomes.calls.views.hits import PLACE as HIT_PLACE
from outcomes.calls.views.hits import every_hit, hits_context
from outcomes.calls.views.rows import call_lines, fold_lines, is_late, tag_of
from outcomes.calls.words import calls_sentence
from outcomes.core.scope import NAMES, Scope
from outcomes.figures.comparison import newest_event, two_periods
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.doubt import doubt_in
from outcomes.figures.queries.group_calls import groups_of_rule
from outcomes.models import Call, Session
from outcomes.search.views import SearchField, query_text, search_field
from outcomes.stored.queries import PLACE_BY_TIME, CallFilter
from outcomes.web.addresses import named_session, session_at
from outcomes.web.narrowing import Narrowing, narrowing_context, narrowing_of
from outcomes.web.paging import every, links_of, start_of, with_query
from outcomes.web.scope import detail_query, scope_of
from outcomes.web.tables import CALLS

WORDS = {"": "All", "failures": "Failures", "denied": "Denied", "disagree": "Disagree"}
KINDS = {
    "": "Calls",
    "failures": "Failed calls",
    "denied": "Denied calls",
    "disagree": "Calls with a disagreement",
    "ran-failed": "Calls that ran and failed",
}
NO_SESSION = "none"
DENIED = "denied"
FOLDED_UNDER = ("", DENIED)  # filters that show denied calls
DIFFERS = "differs"


@require_safe
@member_page()
def calls(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    field = search_field(request, _parameters(request))
    shown = _hits(request, field) if field.is_used else _list(request)
    context = shown | {"page_title": "Calls", "field": field} | _narrowing(request)
    context |= _differs(request, field)
    return render(request, "calls/calls.html", context)


@require_safe
@member_page()
def call_rows(request: MemberRequest) -> HttpResponse:
    """Rows of a live list; 204 if nothing has changed."""
    known = request.GET.get("tag", "")
    if "of" in request.GET:
        context = session_calls(request, named_session(request, request.GET["of"]), known)
    else:
        context = _list(request, known)
    if context["tag"] == known:
        return HttpResponse(status=204)
    return render(request, "calls/_call_rows.html", context | {"alone": True})


def session_calls(
    request: MemberRequest,
    session: Session,
    known: str = "",
    numbers: Mapping[int, int] | None = None,
) -> dict[str, Any]:
    """Context of a session's call table, for the full page and for the live rows.

    `numbers` are the call numbers that the page has already read, by call id."""
    show, start = _show(request, WORDS), start_of(request.GET, PLACE_IN_SESSION)
    same = _same(request, session)
    folds = folds_of(session) if same is None and show in FOLDED_UNDER else []
    page = calls_of_session(
        session, show=show, such=_unfolded(same, folds), before=start.before, after=start.after
    )
    for row in page.rows:
        row.session = session  # spares a query per row
    now = timezone.now()
    tag = tag_of(page.rows, session.attempts, [is_late(row, now) for row in page.rows])
    if tag == known:
        return {"tag": tag}
    environment, carried = session.environment.name, detail_query(request)
    address = session_at(request, session)
    loop = str(same.pk) if same else ""
    live = _live(
        request,
        tag,
        of=session.session_id,
        environment=environment,
        show=show,
        loop=loop,
        **carried,
    )
    counts = {
        "": session.attempts,
        "failures": session.failures,
        "denied": session.denied,
        "disagree": session.disagreements,
    }
    read = numbers or {}
    if not all(row.pk in read for row in page.rows):
        read = numbers_of(session, page.rows)
    chosen = with_query(address, show=show, loop=loop)
    return {
        "session": session,
        "lines": call_lines(page.rows, now, read),
        "folds": fold_lines(folds) if start.is_newest else [],
        "same": same,
        "address": address,
        "tag": tag,
        "show": show,
        "choices": _choices(address, counts),
        "shown": _shown(len(page.rows), counts[show], folds, same),
        "links": links_of(page, PLACE_IN_SESSION, chosen),
        "live_url": live if start.is_newest else "",
    }


def _same(request: MemberRequest, session: Session) -> Call | None:
    """Denied call to whose repeats the list is narrowed."""
    number = parse_number(request.GET.get("loop"), digits=18)
    return denied_call(session, number) if number else None


def _unfolded(same: Call | None, folds: Sequence[Fold]) -> Q | None:
    """Condition for the calls to list one by one; None for all."""
    if same is not None:
        return same_as(same)
    return ~reduce(or_, (same_as(fold.row) for fold in folds)) if folds else None


def _shown(rows: int, of: int, folds: Sequence[Fold], same: Call | None) -> str:
    if same is not None:
        return f"{counted(rows, 'equal call')}, newest first"
    repeated = sum(fold.times for fold in folds)
    others = " other calls" if repeated else ""
    return f"{rows:,} of {of - repeated:,}{others}, newest first"


def session_calls_file(request: MemberRequest, session: Session) -> HttpResponseBase | None:
    show = _show(request, WORDS)
    return table_file(
        request,
        request.project,
        "calls",
        CALLS,
        lambda: every(
            lambda before: calls_of_session(session, show=show, before=before),
            PLACE_IN_SESSION,
        ),
    )


def _file(request: MemberRequest) -> HttpResponseBase | None:
    filters, show = _filters(request, scope_of(request, is_list=True)), _show(request)
    project, field = request.project.pk, search_field(request, {})
    if field.is_used and not field.error:
        such = _such(request)
        return table_file(
            request,
            request.project,
            "calls",
            CALLS,
            lambda: every_hit(project, field.query, filters, such),
        )
    without_session = request.GET.get("session") == NO_SESSION
    return table_file(
        request,
        request.project,
        "calls",
        CALLS,
        lambda: every(
            lambda before: calls_by_time(
                request.project.pk,
                filters,
                without_session=without_session,
                show=show,
                before=before,
                names=IN_FILE,
            ),
            PLACE_BY_TIME,
        ),
    )


def _hits(request: MemberRequest, field: SearchField) -> dict[str, Any]:
    scope, show = scope_of(request, is_list=True), _show(request)
    chosen = {name: value for name, value in _parameters(request).items() if name != "show"}
    unshown = with_query(request.path, **chosen, q=field.query.text)
    address = with_query(unshown, show=show)
    context = hits_context(
        request.project.pk,
        field,
        _filters(request, scope),
        _such(request),
        start=start_of(request.GET, HIT_PLACE),
        address=address,
    )
    return context | {
        "show": show,
        "choices": _choices(unshown, {}),
        "without_session": request.GET.get("session") == NO_SESSION,
    }


def _differs(request: MemberRequest, field: SearchField) -> dict[str, Any]:
    """Card *What differs*, or the link that opens it, if the list is narrowed to some calls."""
    is_group = bool(field.query) or bool(_show(request)) or any(_why(request).values())
    if not is_group or field.error:
        return {}
    address = with_query(request.path, **_parameters(request), q=field.query.text)
    if not request.GET.get(DIFFERS):
        return {"differs_url": with_query(address, **{DIFFERS: "1"}) + "#differs"}
    filters = _filters(request, scope_of(request, is_list=True))
    context = differences_context(request, field.query, filters, _such(request))
    return context | {"undiffers_url": address}


def _such(request: MemberRequest) -> Q:
    without_session = Q(session=None) if request.GET.get("session") == NO_SESSION else Q()
    show = _show(request)
    return without_session & (SHOWN[show] if show else Q())


def _parameters(request: MemberRequest) -> dict[str, str]:
    """Parameters to keep when the search changes."""
    narrowing, scope = narrowing_of(request), scope_of(request, is_list=True)
    chosen = {name: request.GET.get(name, "") for name in ("session", "tool")}
    every = chosen | _why(request) | scope.query() | narrowing.query() | {"show": _show(request)}
    return {name: value for name, value in every.items() if value}


def _list(request: MemberRequest, known: str = "") -> dict[str, Any]:
    scope, narrowing = scope_of(request, is_list=True), narrowing_of(request)
    session, tool = request.GET.get("session", ""), request.GET.get("tool", "")
    why = _why(request)
    show, without_session = _show(request), session == NO_SESSION
    start = start_of(request.GET, PLACE_BY_TIME)
    page = calls_by_time(
        request.project.pk,
        _filters(request, scope),
        without_session=without_session,
        show=show,
        before=start.before,
        after=start.after,
    )
    now = timezone.now()
    tag = tag_of(page.rows, [is_late(row, now) for row in page.rows])
    if tag == known:
        return {"tag": tag}
    all_calls = reverse("outcomes:calls", args=[request.project.slug])
    chosen = {"session": session, "tool": tool} | why | scope.query() | narrowing.query()
    address = with_query(all_calls, **chosen)
    return {
        "session": None,  # set once: templates read it per row, and a failed lookup is slow
        "lines": call_lines(page.rows, now),
        "tag": tag,
        "show": show,
        "agent": scope.agent,
        "without_session": without_session,
        "choices": _choices(address, {}),
        "sentence": _headline(request, scope, show),
        "shown": f"{counted(len(page.rows), 'call')}, newest first",
        "links": links_of(page, PLACE_BY_TIME, with_query(address, show=show)),
        "live_url": _live(request, tag, show=show, **chosen) if start.is_newest else "",
        "is_narrowed": bool(page.rows or newest_event(request.project.pk)),
    }


def _filters(request: MemberRequest, scope: Scope) -> CallFilter:
    narrowing, (since, until) = narrowing_of(request), scope.bounds
    return CallFilter(
        environment=scope.environment,
        agent=scope.agent,
        tool=request.GET.get("tool", ""),
        contract=narrowing.contract,
        version=narrowing.version,
        since=since,
        until=until,
        reason=_why(request)["reason"],
        rule=_why(request)["rule"],
        groups=_groups(request),
    )


def _groups(request: MemberRequest) -> frozenset[int] | None:
    """Call groups of a rule, if the list shows its denials."""
    rule = request.GET.get("rule", "")
    shows_denials = rule and _show(request) == DENIED
    return groups_of_rule(request.project.pk, rule) if shows_denials else None


def _why(request: MemberRequest) -> dict[str, str]:
    """Denial reason and rule that the list is narrowed to."""
    return {name: request.GET.get(name, "") for name in ("reason", "rule")}


def _narrowing(request: MemberRequest) -> dict[str, Any]:
    names = (*NAMES, "session", "tool", "reason", "rule", "show")
    others = {name: request.GET.get(name, "") for name in names} | {"q": query_text(request)}
    narrowing = narrowing_of(request)
    every = others | narrowing.query()
    why = [
        (name, value, with_query(request.path, **every | {name: ""}))
        for name, value in _why(request).items()
        if value
    ]
    return {"why": why} | narrowing_context(request, narrowing, request.path, **others)


def _choices(address: str, counts: Mapping[str, int]) -> list[tuple[str, str, int | None, str]]:
    return [
        (name, word, counts.get(name), with_query(address, show=name) + "#calls")
        for name, word in WORDS.items()
    ]


def _headline(request: MemberRequest, scope: Scope, show: str) -> str:
    """Headline with figures if rollups have them, else with a description of the list."""
    narrowing, tool = narrowing_of(request), request.GET.get("tool", "")
    without_session = request.GET.get("session") == NO_SESSION
    since, _ = scope.bounds
    if since is None or narrowing or without_session or any(_why(request).values()):
        return _sentence(scope, tool, show, narrowing, without_session=without_session)
    period, _ = two_periods(request.project.pk, scope)
    now = period.by_tool.get(tool, Figures()) if tool else period.total
    if not now:
        return f"No calls {scope.in_words}"
    suspected = 0 if show else len(doubt_in(request.project.pk, scope, tool=tool))
    return calls_sentence(now, show, suspected, tool)


def _sentence(
    scope: Scope, tool: str, show: str, narrowing: Narrowing, *, without_session: bool
) -> str:
    calls = f" of {tool}" if tool else ""
    calls += f" {'by' if tool else 'of'} {scope.agent}" if scope.agent else ""
    within = f" in {scope.environment}" if scope.environment else ""
    if without_session:
        return f"{KINDS[show]}{calls} without a session ID{within}"
    if not show and not narrowing:
        return f"All calls{calls}{within}, newest first"
    version = f" v{narrowing.version}" if narrowing.version is not None else ""
    under = f" under {narrowing.contract}{version}" if narrowing.contract else ""
    return f"{KINDS[show]}{calls}{under}{within}, newest first"


def _show(request: MemberRequest, among: Mapping[str, object] = SHOWN) -> str:
    show = request.GET.get("show", "")
    return show if show in among else ""


def _live(request: MemberRequest, tag: str, **chosen: str) -> str:
    address = reverse("outcomes:call_rows", args=[request.project.slug])
    return with_query(address, tag=tag, **chosen)
