"""Page of a session: the cause of its trouble, its calls and figures, and the part that updates."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.approvals.views import session_approvals
from outcomes.calls.views.calls import session_calls
from outcomes.calls.views.rows import CallLine, principal_words
from outcomes.figures.queries.doubt import suspected_by_session
from outcomes.figures.words import session_doubt_words
from outcomes.holds.queries import hold_of_session
from outcomes.models import Session
from outcomes.sessions.domain.causes import RepeatedDenial
from outcomes.sessions.domain.waste import WasteKind
from outcomes.sessions.queries.about_sessions import family_of, notes_of, sessions_before
from outcomes.sessions.queries.page import SessionPage, session_page
from outcomes.sessions.views.cause import cause_of
from outcomes.sessions.views.charts import lines_chart, strip_of
from outcomes.sessions.views.files import offer_tables, session_file
from outcomes.sessions.views.limits import limit_bars
from outcomes.sessions.views.state import session_summary, session_tag, state_of, state_with
from outcomes.sessions.views.zoom import Zoom, carried_query, zoom_of
from outcomes.sessions.words import sentences
from outcomes.sessions.words.causes import noticed_words
from outcomes.sessions.words.previous import previous_sessions_words
from outcomes.web.named import named_session, session_at
from outcomes.web.paging import with_query
from outcomes.web.scope import detail_query

TURNS_SHOWN: Final = 30
ARTIFACTS_SHOWN: Final = 20
FAILURES_SHOWN: Final = 6


@require_safe
@member_page()
def session(request: MemberRequest, session_id: str) -> HttpResponseBase:
    row = named_session(request, session_id)
    if (file := session_file(request, row)) is not None:
        return file
    page = session_page(row)
    family = family_of(row)
    offer_tables(request, page.overview, has_children=bool(family.children))
    calls = session_calls(request, row, numbers=page.numbers())
    waiting = session_approvals(request, row, calls["lines"])
    context = {
        "page_title": row.session_id,
        "may_reclassify": may(request.role, Action.WRITE_CHECK),
        "reclassify_url": _reclassify_url(request, row),
        "may_delete": may(request.role, Action.DELETE_SESSION),
        "may_write_note": may(request.role, Action.WRITE_NOTE),
        "notes": notes_of(row),
        "hold": hold_of_session(row),
        "family": family,
        "waiting": waiting,
        **_status(request, page, state_with(row, waiting)),
        **calls,
        **_facts_from_events(calls["lines"]),
    }
    return render(request, "sessions/session.html", context)


@require_safe
@member_page()
def session_status(request: MemberRequest) -> HttpResponse:
    row = named_session(request, request.GET.get("of", ""))
    state = state_of(request, row)
    if request.GET.get("tag") == session_tag(row, state):
        return HttpResponse(status=204)
    context = _status(request, session_page(row), state) | {"alone": True}
    return render(request, "sessions/_session_standing.html", context)


def _reclassify_url(request: MemberRequest, session: Session) -> str:
    """Form prefilled with this session, over all time."""
    form = reverse("outcomes:reclassifications", args=[request.project.slug])
    chosen = {"session": session.session_id, "environment": session.environment.name, "days": ""}
    return f"{form}?{urlencode(chosen)}"


def _facts_from_events(lines: Sequence[CallLine]) -> dict[str, str]:
    """Facts that only events hold, from the newest call that has them."""
    read = [line.folded for line in lines if line.folded is not None]
    principals = (principal_words(call.principal) for call in read if call.principal)
    return {"principal": next(principals, "")}


def _status(request: MemberRequest, page: SessionPage, state: str) -> dict[str, Any]:
    session, zoom = page.session, zoom_of(request.GET)
    overview, limits = page.overview, page.report.limits
    summary = session_summary(page, state)
    doubt = session_doubt_words(suspected_by_session(session.project_id, [session.pk]))
    here = _Addresses(request, session, session_tag(session, state))
    strip = strip_of(request, session, page.calls, overview, limits, zoom)
    bars, cause = limit_bars(limits), cause_of(request, page, summary.loop, state)
    for bar in bars:
        bar |= here.addresses(Zoom(zoom.by, zoom.first, zoom.last, bar["key"]).query())
    return {
        "session": session,
        "overview": overview,
        "noticed": noticed_words(session.failures, missed=overview.missed, unsaid=overview.unsaid),
        "before": previous_sessions_words(sessions_before(session)),
        "state": state,
        "sentence": sentences.session_sentence(summary),
        "second": format_html("{} {}", sentences.second_sentence(summary), doubt),
        "strip": strip,
        "strip_links": [link | here.addresses(link["query"]) for link in strip.links]
        if strip
        else [],
        "strip_by": [link | here.addresses(link["query"]) for link in strip.by] if strip else [],
        "limits": bars,
        "countings": lines_chart(page.calls, overview, limits, zoom),
        "cause": cause,
        "failures": summary.failures[:FAILURES_SHOWN],
        "more_failures": max(0, len(summary.failures) - FAILURES_SHOWN),
        "counted": summary.before_stop,
        "failed": (summary.before_stop or summary.results).failures,
        "is_early": session.stopped == Session.Stopped.PREMATURE,
        "is_single": session.attempts == 1,
        "may_reset": may(request.role, Action.RESET_SESSION),
        "shows_denials": bool(overview.denials) and not _is_all_in(summary.loop, session),
        "shows_waste": any(line.kind != WasteKind.DENIED_REPEATED for line in overview.waste)
        or (bool(overview.waste) and cause is None),
        "most_denials": max((line.calls for line in overview.denials), default=0),
        "turns": overview.turns[-TURNS_SHOWN:],
        "artifacts": overview.artifacts[-ARTIFACTS_SHOWN:],
        "is_read_whole": page.is_complete,
        "standing_url": here.live(zoom.query()),
    }


def _is_all_in(loop: RepeatedDenial | None, session: Session) -> bool:
    """Whether the cause card tells all there is about denials."""
    return loop is not None and loop.times == session.denied


class _Addresses:
    """Addresses of a stretch of the strip: of the page, and of the part that shows it."""

    def __init__(self, request: MemberRequest, session: Session, tag: str) -> None:
        slug, self.tag, self.carried = request.project.slug, tag, carried_query(request.GET)
        self.page = session_at(request, session)
        self.part = with_query(
            reverse("outcomes:session_standing", args=[slug]),
            of=session.session_id,
            environment=session.environment.name,
            **detail_query(request),
        )

    def live(self, query: dict[str, str]) -> str:
        return with_query(self.part, **self.carried, **query, tag=self.tag)

    def addresses(self, query: dict[str, str]) -> dict[str, str]:
        return {
            "url": with_query(self.page, **self.carried, **query),
            "part_url": with_query(self.part, **self.carried, **query),
        }
