"""Page that compares two sessions: how each ended, where they diverge, and their calls by tool."""

from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from governance.contracts.domain.limit_use import LimitUse
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables
from outcomes.figures.queries.doubt import SessionDoubt, doubt_by_session
from outcomes.models import Session
from outcomes.sessions.domain.comparison import PartedAt, by_tool, parted_at
from outcomes.sessions.queries.page import (
    SessionPage,
    asking_sessions,
    session_page,
    sessions_to_compare,
    state_of,
)
from outcomes.sessions.tables import LIMITS_OF_TWO, SESSIONS, TOOLS_OF_TWO
from outcomes.sessions.views.cause import COUNTINGS, key_of
from outcomes.sessions.views.charts import Strip, Zoom, strip_of
from outcomes.sessions.views.session import session_summary
from outcomes.sessions.words import sentences
from outcomes.stored.queries import session_named
from outcomes.web.addresses import call_url, named_session
from outcomes.web.scope import detail_query


@dataclass(frozen=True, slots=True)
class Side:
    page: SessionPage
    state: str
    sentence: SafeString
    strip: Strip | None
    doubt: SessionDoubt

    @property
    def session(self) -> Session:
        return self.page.session


@require_safe
@member_page()
def compare_sessions(request: MemberRequest) -> HttpResponseBase:
    one = named_session(request, request.GET.get("of", ""))
    context: dict[str, Any] = {
        "page_title": "Compare sessions",
        "one": one,
        "typed": request.GET.get("with", ""),
    }
    other = _other(request, one)
    if other is None:
        others = sessions_to_compare(one)
        doubt = doubt_by_session(request.project.pk, others)
        context["others"] = [(each, doubt[each.pk]) for each in others]
        chosen_from: Tables = {"other-sessions": (SESSIONS, others)}
        file = one_of_tables(request, request.project, chosen_from)
        return file or render(request, "sessions/choose_session.html", context)
    now = timezone.now()
    asking = asking_sessions(request.project.pk, now)
    doubt = doubt_by_session(request.project.pk, (one, other))
    sides = [
        _side(request, session, state_of(session, now, asking), doubt[session.pk])
        for session in (one, other)
    ]
    calls = [side.page.calls for side in sides]
    are_complete = all(side.page.is_complete for side in sides)
    parted = parted_at(*calls) if are_complete else None
    context |= {
        "other": other,
        "sides": sides,
        "are_whole": are_complete,
        "parted": parted,
        "parted_urls": _urls(request, parted, sides),
        "tools": by_tool(*calls),
        "limits": _limits(*(side.page.report.limits for side in sides)),
    }
    tables: Tables = {
        "limits": (LIMITS_OF_TWO, context["limits"]),
        "tools": (TOOLS_OF_TWO, context["tools"]),
    }
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "sessions/compare_sessions.html", context)


def _other(request: MemberRequest, one: Session) -> Session | None:
    name = request.GET.get("with", "")
    if not name.strip():
        return None
    environment = request.GET.get("in", one.environment.name)
    # An id may start or end with a space, but a pasted one may have it by accident.
    candidates = (
        session_named(request.project.pk, session_id, environment)
        for session_id in dict.fromkeys((name, name.strip()))
    )
    return next(filter(None, candidates), None)


def _side(request: MemberRequest, session: Session, state: str, doubt: SessionDoubt) -> Side:
    page = session_page(session)
    limits = page.report.limits
    strip = strip_of(request, session, page.calls, page.overview, limits, Zoom(), name="Calls")
    sentence = sentences.session_sentence(session_summary(page, state))
    return Side(page, state, sentence, strip, doubt)


def _urls(request: MemberRequest, parted: PartedAt | None, sides: list[Side]) -> list[str]:
    if parted is None:
        return []
    slug, query = request.project.slug, detail_query(request)
    return [
        call_url(slug, call.call_id, side.session.environment.name, **query) if call else ""
        for call, side in zip((parted.one, parted.other), sides, strict=True)
    ]


def _limits(one: list[LimitUse], other: list[LimitUse]) -> list[dict[str, Any]]:
    """One row for each limit and way of counting that either session has."""
    sides = [{(key_of(use), use.limit.value): use for use in uses} for uses in (one, other)]
    rows = []
    for place in dict.fromkeys([*sides[0], *sides[1]]):
        uses = [side.get(place) for side in sides]
        for counting, words in COUNTINGS:
            if any(use is not None and counting in use.used for use in uses):
                rows.append(
                    {
                        "name": place[0].removeprefix("max_calls_per_tool:"),
                        "limit": place[1],
                        "words": words,
                        "used": [use.used.get(counting) if use else None for use in uses],
                        "reached": [use.reached_at.get(counting) if use else None for use in uses],
                    }
                )
    return rows
