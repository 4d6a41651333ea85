"""Session page: the cause of a problem, calls, figures, and the part that updates live."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from governance.core.masking import masked_beginning
from governance.core.tables import Columns
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.exports import offer_table
from governance.web.table_files import one_of_tables, table_file
from outcomes.approvals.views import session_approvals
from outcomes.calls.views.calls import session_calls, session_calls_file
from outcomes.calls.views.rows import CallLine, principal_words
from outcomes.figures.queries.doubt import (
    SessionDoubt,
    doubt_by_session,
    suspected_by_session,
)
from outcomes.holds.queries import hold_of_session
from outcomes.models import Session
from outcomes.record.brief_call import BriefCall
from outcomes.record.outcome import ToolDenied
from outcomes.sessions.domain.limit_lines import counted_before_stop, results_of
from outcomes.sessions.domain.overview import (
    LIMIT,
    Overview,
    RepeatedDenial,
    Results,
    TurnLine,
    WasteLine,
    denial_loops,
    failure_groups,
    stuck_in,
)
from outcomes.sessions.domain.repeats import WasteKind
from outcomes.sessions.queries.page import (
    Asking,
    SessionPage,
    family_of,
    notes_of,
    session_page,
    sessions_before,
    state_of,
)
from outcomes.sessions.tables import SESSIONS
from outcomes.sessions.views.cause import cause_of, limit_bars, raised_limit
from outcomes.sessions.views.charts import Zoom, carried_query, lines_chart, strip_of, zoom_of
from outcomes.sessions.words import sentences
from outcomes.sessions.words.causes import named_failures, noticed_words, session_doubt_words
from outcomes.sessions.words.previous import previous_sessions_words
from outcomes.stored.queries import sessions
from outcomes.web.addresses import named_session, session_at
from outcomes.web.paging import hash_of, with_query
from outcomes.web.scope import detail_query

DENIED = ToolDenied.kind
GROUPS_NAMED = 50  # of failures


def current_state(request: MemberRequest, session: Session) -> str:
    return state_with(session, session_approvals(request, session))


def state_with(session: Session, waiting: Mapping[str, Any]) -> str:
    """State of the session, given its pending approvals."""
    asking = Asking(ids={session.pk} if waiting["lines"] else ())
    return state_of(session, timezone.now(), asking)


def session_summary(page: SessionPage, state: str) -> sentences.SessionSummary:
    """Facts of the session that its sentences use."""
    session, overview, limits = page.session, page.overview, page.report.limits
    stop = sentences.first_stop(limits)
    counted = counted_before_stop(page.calls, stop, first=overview.first) if stop else None
    groups = failure_groups(page.calls if counted is None else counted)[:GROUPS_NAMED]
    return sentences.SessionSummary(
        name=session.session_id,
        state=state,
        calls=session.attempts,
        results=Results(session.executions, session.successes, session.failures, session.unknown),
        checked=overview.checked,
        denied=session.denied,
        denied_by=_only_rule(page),
        denied_by_limit=page.report.denials.get(LIMIT, 0),
        open=session.open,
        missed=overview.missed,
        limits=limits,
        loop=stuck_in(denial_loops(page.calls, first=overview.first)),
        failures=named_failures(groups),
        before_stop=None if counted is None else results_of(counted),
    )


def _only_rule(page: SessionPage) -> str:
    """Rule behind every denial; empty if there are several, or if not all calls were read."""
    rules = {call.rule for call in page.calls if call.kind == DENIED}
    return rules.pop() if len(rules) == 1 and page.is_complete else ""


def session_tag(session: Session, state: str) -> str:
    return hash_of(in_list(session), session.tally, state)


def in_list(session: Session) -> tuple[object, ...]:
    """Fields that a list row shows; lists don't load counts by tool and by reason."""
    return (
        session.pk, session.first_at, session.last_at, session.version_id, session.agent_id,
        session.attempts, session.successes, session.failures, session.unknown, session.denied,
        session.open, session.disagreements, session.artifacts, session.stopped,
        session.limit_name, session.waste,
    )  # fmt: skip


TURNS: Final[Columns[TurnLine]] = {
    "turn_id": lambda row: row.turn_id,
    "first_at": lambda row: row.first_at,
    "first_call": lambda row: row.first,
    "last_call": lambda row: row.last,
    "calls": lambda row: row.calls,
    "executions": lambda row: row.results.ran,
    "successes": lambda row: row.results.successes,
    "failures": lambda row: row.results.failures,
    "unknown": lambda row: row.results.unknown,
    "denied": lambda row: row.denied,
    "reasons": lambda row: ", ".join(row.reasons) or None,
    "waste": lambda row: row.wasted,
    "blocked_tools": lambda row: ", ".join(blocked.tool for blocked in row.blocked) or None,
}
WASTE: Final[Columns[WasteLine]] = {
    "waste": lambda row: row.kind.value,
    "calls": lambda row: row.calls,
    "elapsed_ms": lambda row: row.elapsed_ms if row.ran and row.elapsed_ms else None,
    "tools": lambda row: ", ".join(tool for tool, _ in row.tools),
}
ARTIFACTS: Final[Columns[tuple[int, BriefCall]]] = {
    "artifact_id": lambda row: row[1].artifact_name,
    "call": lambda row: row[0],
    "call_id": lambda row: row[1].call_id,
    "tool_name": lambda row: row[1].tool,
    "summary": lambda row: masked_beginning(row[1].detail) or None,
    "size_bytes": lambda row: row[1].artifact_bytes,
    "stored": lambda row: row[1].artifact_sha256 is not None,
}
CHILDREN: Final = "children"
TABLES: Final[dict[str, tuple[Columns[Any], Callable[[Overview], Iterable[Any]]]]] = {
    "turns": (TURNS, lambda overview: overview.turns),
    "waste": (WASTE, lambda overview: overview.waste),
    "artifacts": (ARTIFACTS, lambda overview: overview.artifacts),
}


def offer_tables(request: MemberRequest, overview: Overview, *, has_children: bool) -> None:
    """Add the tables that have rows to the Export menu."""
    for name, (_, rows) in TABLES.items():
        if list(rows(overview)):
            offer_table(request, name, table=name)
    if has_children:
        offer_table(request, CHILDREN, table=CHILDREN)


def session_file(request: MemberRequest, session: Session) -> HttpResponseBase | None:
    """Requested table as a file, or None for a page request."""
    name = request.GET.get("table", "")
    if name == CHILDREN:
        ids = [tool.pk for tool in family_of(session).children]
        children = sessions(session.project_id).filter(pk__in=ids)
        return one_of_tables(request, request.project, {CHILDREN: (SESSIONS, children)})
    if name not in TABLES:
        return session_calls_file(request, session)
    columns, rows = TABLES[name]
    return table_file(
        request,
        request.project,
        f"session-{name}",
        columns,
        lambda: rows(session_page(session).overview),
    )


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
        "children": _with_doubt(row.project_id, family.children),
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
    state = current_state(request, row)
    if request.GET.get("tag") == session_tag(row, state):
        return HttpResponse(status=204)
    context = _status(request, session_page(row), state) | {"alone": True}
    return render(request, "sessions/_session_standing.html", context)


def _with_doubt(project_id: int, children: Sequence[Session]) -> list[tuple[Session, SessionDoubt]]:
    doubt = doubt_by_session(project_id, children) if children else {}
    return [(each, doubt[each.pk]) for each in children]


def _reclassify_url(request: MemberRequest, session: Session) -> str:
    """URL of the form, prefilled with this session and all time."""
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
        "raised": raised_limit(request, session, limits),
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
    """Whether the cause card covers all denials of the session."""
    return loop is not None and loop.times == session.denied


class _Addresses:
    """URLs for a range of the strip: the page, and the part that shows it."""

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
