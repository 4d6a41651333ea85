"""The page of a session: why it ended, its calls in order, what they add up to; and its standing,
which keeps itself up to date."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.policies import Action, may
from outcomes import queries
from outcomes.domain.limit_lines import before_stop
from outcomes.domain.overview import Results
from outcomes.models import Session
from outcomes.queries import SessionPage
from outcomes.templatetags.addresses import session_url
from outcomes.views import sentences
from outcomes.views.approvals import session_approvals
from outcomes.views.calls import session_calls
from outcomes.views.limits import limit_bars
from outcomes.views.named import named_session
from outcomes.views.paging import with_query
from outcomes.views.rows import CallLine, principal_words
from outcomes.views.session_charts import lines_chart, strip_of
from outcomes.views.session_tags import standing_tag
from outcomes.views.session_zoom import Zoom, kept_of, zoom_of

TURNS_SHOWN: Final = 30
ARTIFACTS_SHOWN: Final = 20


@require_safe
@member_page()
def session(request: MemberRequest, session_id: str) -> HttpResponse:
    found = named_session(request, session_id)
    calls = session_calls(request, found)
    waiting = session_approvals(request, found, calls["lines"])
    context = {
        "page_title": found.session_id,
        "may_reset": may(request.role, Action.RESET_SESSION),
        "waiting": waiting,
        **_standing(request, found, _state(found, waiting)),
        **calls,
        **_told_by_calls(calls["lines"]),
    }
    return render(request, "outcomes/session.html", context)


@require_safe
@member_page()
def session_standing(request: MemberRequest) -> HttpResponse:
    found = named_session(request, request.GET.get("of", ""))
    state = _state(found, session_approvals(request, found))
    if request.GET.get("tag") == standing_tag(found, state):
        return HttpResponse(status=204)
    context = _standing(request, found, state) | {"alone": True}
    return render(request, "outcomes/_session_standing.html", context)


def _told_by_calls(lines: Sequence[CallLine]) -> dict[str, str]:
    """What only events tell of a session, by the newest call that says it."""
    told = [line.folded for line in lines if line.folded is not None]
    principals = (principal_words(call.principal) for call in told if call.principal)
    parents = (call.parent_session_id for call in told if call.parent_session_id)
    return {"principal": next(principals, ""), "parent": next(parents, "")}


def _state(session: Session, waiting: Mapping[str, Any]) -> str:
    asking = queries.Asking(found={session.pk} if waiting["lines"] else ())
    return queries.state_of(session, timezone.now(), asking)


def told_standing(page: SessionPage, state: str) -> sentences.Standing:
    """As much of a session as its sentences need."""
    session, overview, limits = page.session, page.overview, page.report.limits
    stop = sentences.first_stop(limits)
    return sentences.Standing(
        state=state,
        calls=session.attempts,
        results=Results(session.executions, session.successes, session.failures, session.unknown),
        denied=session.denied,
        open=session.open,
        missed=overview.missed,
        limits=limits,
        before_stop=before_stop(page.calls, stop, first=overview.first) if stop else None,
    )


def _standing(request: MemberRequest, session: Session, state: str) -> dict[str, Any]:
    page, zoom = queries.whole_session(session), zoom_of(request.GET)
    overview, limits = page.overview, page.report.limits
    standing = told_standing(page, state)
    here = _Addresses(request, session, standing_tag(session, state))
    strip = strip_of(request.project.slug, session, page.calls, overview, limits, zoom)
    bars = limit_bars(limits)
    for bar in bars:
        bar |= here.of(Zoom(zoom.by, zoom.first, zoom.last, bar["key"]).query())
    return {
        "session": session,
        "overview": overview,
        "state": state,
        "sentence": sentences.session_sentence(standing),
        "second": sentences.second_sentence(standing),
        "strip": strip,
        "strip_links": [link | here.of(link["query"]) for link in strip.links] if strip else [],
        "strip_by": [link | here.of(link["query"]) for link in strip.by] if strip else [],
        "limits": bars,
        "countings": lines_chart(page.calls, overview, limits, zoom),
        "most_denials": max((line.calls for line in overview.denials), default=0),
        "turns": overview.turns[-TURNS_SHOWN:],
        "artifacts": overview.artifacts[-ARTIFACTS_SHOWN:],
        "is_read_whole": page.is_read_whole,
        "standing_url": here.live(zoom.query()),
    }


class _Addresses:
    """A stretch of the strip, as a page that one can hand on and as the part that shows it."""

    def __init__(self, request: MemberRequest, session: Session, tag: str) -> None:
        environment = session.environment.name
        slug, self.tag, self.kept = request.project.slug, tag, kept_of(request.GET)
        self.page = session_url(slug, session.session_id, environment)
        self.part = with_query(
            reverse("outcomes:session_standing", args=[slug]),
            of=session.session_id,
            environment=environment,
        )

    def live(self, query: dict[str, str]) -> str:
        return with_query(self.part, **self.kept, **query, tag=self.tag)

    def of(self, query: dict[str, str]) -> dict[str, str]:
        return {
            "url": with_query(self.page, **self.kept, **query),
            "part_url": with_query(self.part, **self.kept, **query),
        }
