"""The page of a session: why it ended, its calls in order, what they add up to; and its standing,
which keeps itself up to date."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.approvals.views import session_approvals
from outcomes.calls.views.calls import session_calls
from outcomes.calls.views.rows import CallLine, principal_words
from outcomes.models import Session
from outcomes.sessions.charts import failing_tools, lines_chart, strip_of
from outcomes.sessions.queries.about_sessions import family_of, notes_of, sessions_before
from outcomes.sessions.queries.page import SessionPage, whole_session
from outcomes.sessions.views.files import CHILDREN, TABLES, session_file
from outcomes.sessions.views.limits import limit_bars
from outcomes.sessions.views.state import session_summary, state_of, state_with
from outcomes.sessions.views.tags import standing_tag
from outcomes.sessions.views.zoom import Zoom, kept_of, zoom_of
from outcomes.sessions.words import sentences
from outcomes.sessions.words.previous import previous_sessions_words
from outcomes.web.named import named_session, session_at
from outcomes.web.paging import files_of_tables, with_query
from outcomes.web.scope import kept_beside_one

TURNS_SHOWN: Final = 30
ARTIFACTS_SHOWN: Final = 20
FAILING_SHOWN: Final = 6


@require_safe
@member_page()
def session(request: MemberRequest, session_id: str) -> HttpResponseBase:
    found = named_session(request, session_id)
    if (file := session_file(request, found)) is not None:
        return file
    page = whole_session(found)
    calls = session_calls(request, found, numbers=page.numbers())
    waiting = session_approvals(request, found, calls["lines"])
    context = {
        "page_title": found.session_id,
        "may_reset": may(request.role, Action.RESET_SESSION),
        "may_reclassify": may(request.role, Action.WRITE_CHECK),
        "reclassify_url": _reclassify_url(request, found),
        "may_delete": may(request.role, Action.DELETE_SESSION),
        "may_write_note": may(request.role, Action.WRITE_NOTE),
        "notes": notes_of(found),
        "family": family_of(found),
        "waiting": waiting,
        **_standing(request, page, state_with(found, waiting)),
        **calls,
        **_told_by_calls(calls["lines"]),
    }
    return render(request, "sessions/session.html", context)


@require_safe
@member_page()
def session_standing(request: MemberRequest) -> HttpResponse:
    found = named_session(request, request.GET.get("of", ""))
    state = state_of(request, found)
    if request.GET.get("tag") == standing_tag(found, state):
        return HttpResponse(status=204)
    context = _standing(request, whole_session(found), state) | {"alone": True}
    return render(request, "sessions/_session_standing.html", context)


def _reclassify_url(request: MemberRequest, session: Session) -> str:
    """The form, filled in for this session over all time."""
    form = reverse("outcomes:reclassifications", args=[request.project.slug])
    chosen = {"session": session.session_id, "environment": session.environment.name, "days": ""}
    return f"{form}?{urlencode(chosen)}"


def _told_by_calls(lines: Sequence[CallLine]) -> dict[str, str]:
    """What only events tell of a session, by the newest call that says it."""
    told = [line.folded for line in lines if line.folded is not None]
    principals = (principal_words(call.principal) for call in told if call.principal)
    return {"principal": next(principals, "")}


def _standing(request: MemberRequest, page: SessionPage, state: str) -> dict[str, Any]:
    session, zoom = page.session, zoom_of(request.GET)
    overview, limits = page.overview, page.report.limits
    standing = session_summary(page, state)
    here = _Addresses(request, session, standing_tag(session, state))
    strip = strip_of(request, session, page.calls, overview, limits, zoom)
    bars, failing = limit_bars(limits), failing_tools(overview)
    for bar in bars:
        bar |= here.of(Zoom(zoom.by, zoom.first, zoom.last, bar["key"]).query())
    return {
        "session": session,
        "overview": overview,
        "noticed": sentences.noticed_words(
            session.failures, missed=overview.missed, unsaid=overview.unsaid
        ),
        "before": previous_sessions_words(sessions_before(session)),
        "state": state,
        "sentence": sentences.session_sentence(standing),
        "second": sentences.second_sentence(standing),
        "strip": strip,
        "strip_links": [link | here.of(link["query"]) for link in strip.links] if strip else [],
        "strip_by": [link | here.of(link["query"]) for link in strip.by] if strip else [],
        "limits": bars,
        "countings": lines_chart(page.calls, overview, limits, zoom),
        "failing": [
            (tool, results, results.failures + results.unknown) for tool, results in failing
        ][:FAILING_SHOWN],
        "more_failing": max(0, len(failing) - FAILING_SHOWN),
        "most_denials": max((line.calls for line in overview.denials), default=0),
        "turns": overview.turns[-TURNS_SHOWN:],
        "artifacts": overview.artifacts[-ARTIFACTS_SHOWN:],
        "is_read_whole": page.is_read_whole,
        "standing_url": here.live(zoom.query()),
        "files_of": files_of_tables(here.page, *TABLES, CHILDREN),
    }


class _Addresses:
    """A stretch of the strip, as a page that one can hand on and as the part that shows it."""

    def __init__(self, request: MemberRequest, session: Session, tag: str) -> None:
        slug, self.tag, self.kept = request.project.slug, tag, kept_of(request.GET)
        self.page = session_at(request, session)
        self.part = with_query(
            reverse("outcomes:session_standing", args=[slug]),
            of=session.session_id,
            environment=session.environment.name,
            **kept_beside_one(request),
        )

    def live(self, query: dict[str, str]) -> str:
        return with_query(self.part, **self.kept, **query, tag=self.tag)

    def of(self, query: dict[str, str]) -> dict[str, str]:
        return {
            "url": with_query(self.page, **self.kept, **query),
            "part_url": with_query(self.part, **self.kept, **query),
        }
