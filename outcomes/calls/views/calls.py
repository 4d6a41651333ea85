"""Lists of calls: those of a session, and those of an agent or without a session."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.calls.queries.lists import (
    IN_FILE,
    PLACE_IN_SESSION,
    SHOWN,
    calls_by_time,
    calls_of_session,
    numbers_of,
)
from outcomes.calls.views.rows import call_lines, folded, is_late, tag_of
from outcomes.core.scope import NAMES, Scope
from outcomes.figures.queries.group_calls import groups_of_rule
from outcomes.models import Session
from outcomes.record.selecting import PLACE_BY_TIME, CallFilter
from outcomes.web.call_columns import CALLS
from outcomes.web.named import named_session, session_at
from outcomes.web.narrowing import Narrowing, narrowing_context, narrowing_of
from outcomes.web.paging import every, files_of, links_of, start_of, with_query
from outcomes.web.scope import kept_beside_one, scope_of
from outcomes.web.sentences import counted

WORDS = {"": "All", "failures": "Failures", "denied": "Denied", "disagree": "Disagree"}
KINDS = {
    "": "Calls",
    "failures": "Calls that failed",
    "denied": "Denied calls",
    "disagree": "Calls about which agent and console disagree",
    "ran-failed": "Calls that ran and failed",
}
NO_SESSION = "none"
DENIED = "denied"


@require_safe
@member_page()
def calls(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    context = _list(request) | {"page_title": "Calls"} | _narrowing(request)
    return render(request, "calls/calls.html", context)


@require_safe
@member_page()
def call_rows(request: MemberRequest) -> HttpResponse:
    """The rows of a list that keeps itself up to date; nothing when they are as they were."""
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
    """The table of calls of a session, as its page and the rows alone show it.

    `numbers` are those of its calls that the page has read, by their ids."""
    show = _show(request, WORDS)
    start = start_of(request.GET, PLACE_IN_SESSION)
    page = calls_of_session(session, show=show, before=start.before, after=start.after)
    for row in page.rows:
        row.session = session  # nobody asks for it again
    now = timezone.now()
    tag = tag_of(page.rows, session.attempts, [is_late(row, now) for row in page.rows])
    if tag == known:
        return {"tag": tag}
    environment = session.environment.name
    kept = kept_beside_one(request)
    address = session_at(request, session)
    live = _live(request, tag, of=session.session_id, environment=environment, show=show, **kept)
    counts = {
        "": session.attempts,
        "failures": session.failures,
        "denied": session.denied,
        "disagree": session.disagreements,
    }
    read = numbers or {}
    if not all(row.pk in read for row in page.rows):
        read = numbers_of(session, page.rows)
    lines = call_lines(page.rows, now, read)
    return {
        "session": session,
        "lines": lines if show else folded(lines),
        "tag": tag,
        "show": show,
        "choices": _choices(address, counts),
        "shown": f"{len(page.rows):,} of {counts[show]:,}, newest first",
        "links": links_of(page, PLACE_IN_SESSION, with_query(address, show=show)),
        "files": files_of(with_query(address, show=show)),
        "live_url": live if start.is_newest else "",
    }


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
    wanted, show = _wanted(request, scope_of(request, is_list=True)), _show(request)
    without_session = request.GET.get("session") == NO_SESSION
    return table_file(
        request,
        request.project,
        "calls",
        CALLS,
        lambda: every(
            lambda before: calls_by_time(
                request.project.pk,
                wanted,
                without_session=without_session,
                show=show,
                before=before,
                names=IN_FILE,
            ),
            PLACE_BY_TIME,
        ),
    )


def _list(request: MemberRequest, known: str = "") -> dict[str, Any]:
    scope, narrowing = scope_of(request, is_list=True), narrowing_of(request)
    session, tool = request.GET.get("session", ""), request.GET.get("tool", "")
    why = _why(request)
    show, without_session = _show(request), session == NO_SESSION
    start = start_of(request.GET, PLACE_BY_TIME)
    page = calls_by_time(
        request.project.pk,
        _wanted(request, scope),
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
        "session": None,  # said once: each row asks for it, and looking in vain takes long
        "lines": call_lines(page.rows, now),
        "tag": tag,
        "show": show,
        "agent": scope.agent,
        "without_session": without_session,
        "choices": _choices(address, {}),
        "sentence": _sentence(scope, tool, show, narrowing, without_session=without_session),
        "shown": f"{counted(len(page.rows), 'call')}, newest first",
        "links": links_of(page, PLACE_BY_TIME, with_query(address, show=show)),
        "files": files_of(with_query(address, show=show)),
        "live_url": _live(request, tag, show=show, **chosen) if start.is_newest else "",
        "is_narrowed": bool(narrowing) or any(why.values()) or not scope.is_all,
    }


def _wanted(request: MemberRequest, scope: Scope) -> CallFilter:
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
    """Of a rule, where what it denied is shown."""
    rule = request.GET.get("rule", "")
    is_asked = rule and _show(request) == DENIED
    return groups_of_rule(request.project.pk, rule) if is_asked else None


def _why(request: MemberRequest) -> dict[str, str]:
    """What decided of the calls: the reason of a denial, the rule of a contract."""
    return {name: request.GET.get(name, "") for name in ("reason", "rule")}


def _narrowing(request: MemberRequest) -> dict[str, Any]:
    names = (*NAMES, "session", "tool", "reason", "rule", "show")
    others = {name: request.GET.get(name, "") for name in names}
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


def _sentence(
    scope: Scope, tool: str, show: str, narrowing: Narrowing, *, without_session: bool
) -> str:
    of = f" of {tool}" if tool else ""
    of += f" {'by' if tool else 'of'} {scope.agent}" if scope.agent else ""
    within = f" in {scope.environment}" if scope.environment else ""
    if without_session:
        return f"{KINDS[show]}{of} that came without a session{within}."
    if not show and not narrowing:
        return f"All calls{of}{within}, newest first."
    version = f" v{narrowing.version}" if narrowing.version is not None else ""
    under = f" under {narrowing.contract}{version}" if narrowing.contract else ""
    return f"{KINDS[show]}{of}{under}{within}, newest first."


def _show(request: MemberRequest, among: Mapping[str, object] = SHOWN) -> str:
    show = request.GET.get("show", "")
    return show if show in among else ""


def _live(request: MemberRequest, tag: str, **chosen: str) -> str:
    address = reverse("outcomes:call_rows", args=[request.project.slug])
    return with_query(address, tag=tag, **chosen)
