"""The list of sessions, and its part that keeps itself up to date."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.table_files import table_file
from outcomes import queries
from outcomes.domain.scope import NAMES, Scope
from outcomes.models import Session
from outcomes.queries import SessionFilter
from outcomes.queries.session_list import SESSION_PLACE
from outcomes.views import sentences
from outcomes.views.narrowing import narrowing_context, narrowing_of
from outcomes.views.paging import every, files_of, links_of, start_of, with_query
from outcomes.views.scope import scope_of
from outcomes.views.session_tags import hash_of, in_list
from outcomes.views.table_columns import SESSIONS

STATES = {
    "": "All",
    "running": "Running",
    "waiting": "Waiting",
    "stopped": "Stopped",
    "ended": "Ended",
}


@require_safe
@member_page()
def sessions(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    context = _list(request) | {
        "page_title": "Sessions",
        "sessionless": queries.sessionless_agents(request.project.pk, _environment(request)),
    }
    others = {name: request.GET.get(name, "") for name in (*NAMES, "q", "state")}
    context |= narrowing_context(request, narrowing_of(request), request.path, **others)
    return render(request, "outcomes/sessions.html", context)


@require_safe
@member_page()
def session_rows(request: MemberRequest) -> HttpResponse:
    context = _list(request)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "outcomes/_session_rows.html", context | {"alone": True})


def _file(request: MemberRequest) -> HttpResponseBase | None:
    project, now = request.project.pk, timezone.now()
    wanted = _wanted(request, scope_of(request, is_list=True))

    def rows() -> Iterator[Session]:
        asking = queries.asking_sessions(project, now)
        return every(
            lambda before: queries.sessions_shown(project, wanted, now, asking, before=before),
            SESSION_PLACE,
        )

    return table_file(request, request.project, "sessions", SESSIONS, rows)


def _wanted(request: MemberRequest, scope: Scope) -> SessionFilter:
    state, narrowing = request.GET.get("state", ""), narrowing_of(request)
    since, until = scope.bounds
    return SessionFilter(
        environment=scope.environment,
        agent=scope.agent,
        text=request.GET.get("q", "").strip(),
        state=state if state in STATES else "",
        contract=narrowing.contract,
        version=narrowing.version,
        since=since,
        until=until,
    )


def _list(request: MemberRequest) -> dict[str, Any]:
    now = timezone.now()
    scope, narrowing = scope_of(request, is_list=True), narrowing_of(request)
    wanted = _wanted(request, scope)
    start = start_of(request.GET, SESSION_PLACE)
    asking = queries.asking_sessions(request.project.pk, now)
    page = queries.sessions_shown(
        request.project.pk, wanted, now, asking, before=start.before, after=start.after
    )
    counts = queries.session_counts(request.project.pk, wanted, now, asking)
    rows = [(row, queries.state_of(row, now, asking)) for row in page.rows]
    tag = hash_of([(in_list(row), state) for row, state in rows], counts)
    address = with_query(
        reverse("outcomes:sessions", args=[request.project.slug]),
        q=wanted.text,
        **scope.query(),
        **narrowing.query(),
    )
    shown_of = getattr(counts, wanted.state or "all")
    return {
        "rows": rows,
        "tag": tag,
        "wanted": wanted,
        "is_narrowed": bool(narrowing or scope.agent) or not scope.is_all,
        "narrowed_by": {
            name: value for name, value in (scope.query() | narrowing.query()).items() if value
        },
        "sentence": _sentence(wanted, counts),
        "states": [
            (name, word, getattr(counts, name or "all"), with_query(address, state=name))
            for name, word in STATES.items()
            if name != "waiting" or counts.waiting or wanted.state == "waiting"
        ],
        "shown_of": shown_of,
        "shown": f"{len(rows):,} of {shown_of:,}, newest first",
        "links": links_of(page, SESSION_PLACE, with_query(address, state=wanted.state)),
        "files": files_of(with_query(address, state=wanted.state)),
        "live_url": _live(request, address, wanted, tag) if start.is_newest else "",
    }


def _live(request: MemberRequest, address: str, wanted: SessionFilter, tag: str) -> str:
    rows = reverse("outcomes:session_rows", args=[request.project.slug])
    query = address.partition("?")[2]
    return with_query(f"{rows}?{query}" if query else rows, state=wanted.state, tag=tag)


def _sentence(wanted: SessionFilter, counts: queries.SessionCounts) -> str:
    if wanted.text and not counts.all:
        return "No session or agent of that name."
    if not counts.all and (wanted.contract or wanted.since or wanted.until):
        return "No session of that contract and time."
    if wanted.environment and not counts.all:
        return f"No session in {wanted.environment} yet."
    return sentences.sessions_sentence(
        total=counts.all,
        running=counts.running,
        waiting=counts.waiting,
        stopped=counts.stopped,
        premature=counts.premature,
    )


def _environment(request: MemberRequest) -> str:
    return request.GET.get("environment", "")
