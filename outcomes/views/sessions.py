"""The list of sessions, the page of one, and the parts of both that keep themselves up to date."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.policies import Action, may
from outcomes import queries
from outcomes.domain.overview import Results
from outcomes.models import Session
from outcomes.queries import SessionFilter
from outcomes.queries.session_list import SESSION_PLACE
from outcomes.views import sentences
from outcomes.views.approvals import session_approvals
from outcomes.views.calls import session_calls
from outcomes.views.limits import limit_bars
from outcomes.views.named import named_session
from outcomes.views.narrowing import Narrowing, narrowing_context, narrowing_of
from outcomes.views.paging import links_of, start_of, with_query
from outcomes.views.rows import CallLine, principal_words

STATES = {
    "": "All",
    "running": "Running",
    "waiting": "Waiting",
    "stopped": "Stopped",
    "ended": "Ended",
}
TURNS_SHOWN = 30
ARTIFACTS_SHOWN = 20


@require_safe
@member_page()
def sessions(request: MemberRequest) -> HttpResponse:
    context = _list(request) | {
        "page_title": "Sessions",
        "sessionless": queries.sessionless_agents(request.project.pk, _environment(request)),
        "address": request.build_absolute_uri("/").rstrip("/"),
    }
    others = {name: request.GET.get(name, "") for name in ("environment", "q", "state")}
    context |= narrowing_context(request, narrowing_of(request), request.path, **others)
    return render(request, "outcomes/sessions.html", context)


@require_safe
@member_page()
def session_rows(request: MemberRequest) -> HttpResponse:
    context = _list(request)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "outcomes/_session_rows.html", context | {"alone": True})


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
    if request.GET.get("tag") == _tag(found, state):
        return HttpResponse(status=204)
    context = _standing(request, found, state) | {"alone": True}
    return render(request, "outcomes/_session_standing.html", context)


def _list(request: MemberRequest) -> dict[str, Any]:
    now = timezone.now()
    state, narrowing = request.GET.get("state", ""), narrowing_of(request)
    wanted = SessionFilter(
        environment=_environment(request),
        text=request.GET.get("q", "").strip(),
        state=state if state in STATES else "",
        contract=narrowing.contract,
        version=narrowing.version,
        since=narrowing.since,
        until=narrowing.until,
    )
    start = start_of(request.GET, SESSION_PLACE)
    asking = queries.asking_sessions(request.project.pk, now)
    page = queries.sessions_shown(
        request.project.pk, wanted, now, asking, before=start.before, after=start.after
    )
    counts = queries.session_counts(request.project.pk, wanted, now, asking)
    rows = [(row, queries.state_of(row, now, asking)) for row in page.rows]
    tag = _hash([(_in_list(row), state) for row, state in rows], counts)
    address = with_query(
        reverse("outcomes:sessions", args=[request.project.slug]),
        environment=wanted.environment,
        q=wanted.text,
        **narrowing.query(),
    )
    shown_of = getattr(counts, wanted.state or "all")
    return {
        "rows": rows,
        "tag": tag,
        "wanted": wanted,
        "is_narrowed": bool(narrowing),
        "narrowed_by": {name: value for name, value in narrowing.query().items() if value},
        "sentence": _sentence(wanted, counts),
        "states": [
            (name, word, getattr(counts, name or "all"), with_query(address, state=name))
            for name, word in STATES.items()
            if name != "waiting" or counts.waiting or wanted.state == "waiting"
        ],
        "shown_of": shown_of,
        "shown": f"{len(rows):,} of {shown_of:,}, newest first",
        "links": links_of(page, SESSION_PLACE, with_query(address, state=wanted.state)),
        "live_url": _live(request, wanted, narrowing, tag) if start.is_newest else "",
    }


def _live(request: MemberRequest, wanted: SessionFilter, narrowing: Narrowing, tag: str) -> str:
    return with_query(
        reverse("outcomes:session_rows", args=[request.project.slug]),
        environment=wanted.environment,
        q=wanted.text,
        state=wanted.state,
        tag=tag,
        **narrowing.query(),
    )


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


def _told_by_calls(lines: Sequence[CallLine]) -> dict[str, str]:
    """What only events tell of a session, by the newest call that says it."""
    told = [line.folded for line in lines if line.folded is not None]
    principals = (principal_words(call.principal) for call in told if call.principal)
    parents = (call.parent_session_id for call in told if call.parent_session_id)
    return {"principal": next(principals, ""), "parent": next(parents, "")}


def _state(session: Session, waiting: Mapping[str, Any]) -> str:
    asking = queries.Asking(found={session.pk} if waiting["lines"] else ())
    return queries.state_of(session, timezone.now(), asking)


def _standing(request: MemberRequest, session: Session, state: str) -> dict[str, Any]:
    page = queries.whole_session(session)
    overview = page.overview
    standing = sentences.Standing(
        state=state,
        calls=session.attempts,
        results=Results(session.executions, session.successes, session.failures, session.unknown),
        denied=session.denied,
        open=session.open,
        missed=overview.missed,
        limits=page.report.limits,
        by_tool=overview.by_tool,
    )
    return {
        "session": session,
        "overview": overview,
        "state": state,
        "sentence": sentences.session_sentence(standing),
        "second": sentences.second_sentence(standing),
        "limits": limit_bars(page.report.limits),
        "most_denials": max((line.calls for line in overview.denials), default=0),
        "turns": overview.turns[-TURNS_SHOWN:],
        "artifacts": overview.artifacts[-ARTIFACTS_SHOWN:],
        "is_read_whole": page.is_read_whole,
        "standing_url": with_query(
            reverse("outcomes:session_standing", args=[request.project.slug]),
            of=session.session_id,
            environment=session.environment.name,
            tag=_tag(session, state),
        ),
    }


def _tag(session: Session, state: str) -> str:
    return _hash(_in_list(session), session.tally, state)


def _in_list(session: Session) -> tuple[object, ...]:
    """What a row of the list shows; the counts by tool and by reason are not read for it."""
    return (
        session.pk, session.first_at, session.last_at, session.version_id, session.agent_id,
        session.attempts, session.successes, session.failures, session.unknown, session.denied,
        session.open, session.disagreements, session.artifacts, session.stopped,
    )  # fmt: skip


def _hash(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]


def _environment(request: MemberRequest) -> str:
    return request.GET.get("environment", "")
