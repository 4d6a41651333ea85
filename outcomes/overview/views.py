"""The first page: is everything all right, and if not, where."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from governance.alerts.domain import kind_words
from governance.alerts.queries import open_findings
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables
from outcomes.core.scope import Scope
from outcomes.denials.queries.denials import denial_loops
from outcomes.figures import charts
from outcomes.figures.comparison import Period, is_worse, newest_event, points_words, two_periods
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.standouts import Fall, Judged, falls
from outcomes.jobs.views import backlog_of
from outcomes.models.sessions import LOOP
from outcomes.overview import words
from outcomes.sessions.queries.stopped import StoppedCounts, newest_stopped, stopped_counts
from outcomes.sessions.tables import SESSIONS
from outcomes.tools.domain.tools import Compared
from outcomes.tools.tables import TOOLS_OF_AGENT
from outcomes.tools.views.rows import tool_rows, worst_first
from outcomes.web.addresses import session_url
from outcomes.web.chart_links import link_to_calls
from outcomes.web.paging import files_of_tables, with_query
from outcomes.web.scope import kept_beside_one, scope_of, tag_of

FINDINGS = 100
TOOLS_SHOWN = 6


@require_safe
@member_page()
def project(request: MemberRequest) -> HttpResponse:
    """The address of a project itself leads to its first page, with all that it says."""
    here = reverse("outcomes:overview", args=[request.project.slug])
    return redirect(with_query(here, **request.GET.dict()))


@require_safe
@member_page()
def overview(request: MemberRequest) -> HttpResponseBase:
    context = _overview(request, scope_of(request)) | {"page_title": "Overview"}
    tables: Tables = {
        "tools": (TOOLS_OF_AGENT, context["compared"]),
        "stopped-sessions": (SESSIONS, context["stopped"]),
    }
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "overview/overview.html", context)


@require_safe
@member_page()
def overview_standing(request: MemberRequest) -> HttpResponse:
    """The page's content alone, as long as something has changed; asked for every second."""
    scope = scope_of(request)
    newest = newest_event(request.project.pk)
    if request.GET.get("tag") == tag_of(request, scope, newest):
        return HttpResponse(status=204)
    context = _overview(request, scope) | {"alone": True}
    return render(request, "overview/_overview.html", context)


def _overview(request: MemberRequest, scope: Scope) -> dict[str, Any]:
    project_id = request.project.pk
    now, before = two_periods(project_id, scope)
    counts = stopped_counts(project_id, scope)
    whole, then = now.whole, before.whole
    worse = is_worse(whole, then)
    tools_before = before.by_tool
    # A tool that is called no more is told of in the file, beside what it was.
    tools = {name: now.by_tool.get(name, Figures()) for name in {**tools_before, **now.by_tool}}
    fallen = falls(_judged(tools), _judged(tools_before))
    ranked = worst_first(tools)
    worst = [name for name in ranked if tools[name].judged][:TOOLS_SHOWN]
    notices, number = _attention(request, scope, fallen, counts, denied=whole.denied)
    # Without a session in these times nothing is told of the newest event along with them.
    newest = counts.newest_event or newest_event(project_id)
    tag = tag_of(request, scope, newest)
    live = reverse("outcomes:overview_standing", args=[request.project.slug])
    return {
        "sentence": words.sentence(number, whole, then, fallen),
        "has_calls": bool(whole),
        "is_new": not newest,
        "now": whole,
        "before": then,
        "counts": counts,
        "points": points_words(whole, then),
        "worse": worse,
        "notices": notices[: words.MOST],
        "notices_of": number,
        "step_words": charts.STEP_WORDS[scope.step],
        "urls": _urls(request, scope),
        "stopped": newest_stopped(project_id, scope) if counts.stopped else [],
        "tools": tool_rows(
            request.project.slug,
            scope,
            worst,
            now,
            tools,
            tools_before,
            fallen={each.tool for each in fallen},
        ),
        "tools_of": len(now.by_tool),
        "compared": (
            Compared(each, tools[each], tools_before.get(each, Figures())) for each in ranked
        ),
        "files_of": files_of_tables(
            with_query(reverse("outcomes:overview", args=[request.project.slug]), **scope.query()),
            "tools",
            "stopped-sessions",
        ),
        "live_url": with_query(live, **scope.query() | {"tag": tag}),
        **_charts(request, scope, now, before, worse=worse),
    }


def _charts(
    request: MemberRequest, scope: Scope, now: Period, before: Period, *, worse: bool
) -> dict[str, Any]:
    link = link_to_calls(request.project.slug, scope)
    return {
        "outcomes_chart": charts.outcomes_chart(scope, now, link),
        "rate_chart": charts.rate_chart(scope, now, before),
        "rate_spark": charts.tile_spark(
            now, before, lambda each: each.rate, "Success rate over time", bad=worse
        ),
        "denied_spark": charts.tile_spark(
            now, before, lambda each: each.denied, "Denied calls over time", bad=False
        ),
        "differing_spark": charts.tile_spark(
            now, before, lambda each: each.disagreements, "Disagreements over time", bad=False
        ),
    }


def _attention(
    request: MemberRequest,
    scope: Scope,
    fallen: list[Fall],
    counts: StoppedCounts,
    *,
    denied: int,
) -> tuple[list[words.Notice], int]:
    slug, project_id = request.project.slug, request.project.pk
    urls = _urls(request, scope)
    set_aside = reverse("outcomes:set_aside", args=[slug])
    notices = words.of_backlog(backlog_of(request, project_id), set_aside)
    notices += [
        words.of_fall(fall, with_query(urls["failures"], tool=fall.tool)) for fall in fallen
    ]
    kept = kept_beside_one(request)
    loops = denial_loops(project_id, scope, timezone.now()) if denied >= LOOP else None
    for loop in loops.shown if loops else ():
        session = session_url(slug, loop.session_id, loop.environment, **kept)
        notices.append(words.of_loop(loop, with_query(session, show="denied") + "#calls"))
    stopped = words.of_stopped(counts, urls["stopped"])
    notices += [stopped] if stopped else []
    attention = reverse("governance:attention", args=[slug])
    for each in open_findings(
        request.project, FINDINGS, environment=scope.environment, agent=scope.agent
    ):
        said = format_html("{}", kind_words(each.kind))
        if each.subject:
            said = format_html("{}: <code>{}</code>", said, each.subject)
        url = each.link or f"{attention}#finding-{each.pk}"
        notices.append(
            words.Notice(severity="warning", words=said, why=each.why, url=url, at=each.since)
        )
    return words.worst_first(notices), len(notices)


def _urls(request: MemberRequest, scope: Scope) -> dict[str, str]:
    slug = request.project.slug
    calls = with_query(reverse("outcomes:calls", args=[slug]), **scope.query())
    sessions = with_query(reverse("outcomes:sessions", args=[slug]), **scope.query())
    differing = with_query(reverse("outcomes:disagreements", args=[slug]), **scope.query())
    if scope.agent:  # that page is about all agents
        differing = with_query(calls, show="disagree")
    return {
        "calls": calls,
        "failures": with_query(calls, show="failures"),
        "denials": with_query(reverse("outcomes:denials", args=[slug]), **scope.query()),
        "disagreements": differing,
        "sessions": sessions,
        "stopped": with_query(sessions, state="stopped"),
    }


def _judged(tools: Mapping[str, Figures]) -> dict[str, Judged]:
    return {
        name: Judged(each.successes, each.judged) for name, each in tools.items() if each.judged
    }
