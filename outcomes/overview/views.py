"""Overview page: whether everything is fine and, if not, what is wrong."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.alerts.queries import alert_counts
from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.web.table_files import Tables, one_of_tables
from outcomes.alerts.queries import is_behind, listed_alerts
from outcomes.alerts.words import rows
from outcomes.core.scope import Scope
from outcomes.figures import charts
from outcomes.figures.charts import link_to_calls
from outcomes.figures.comparison import Period, is_worse, newest_event, points_words, two_periods
from outcomes.figures.domain.figures import Figures, is_below, lowest_rate
from outcomes.figures.domain.standouts import Judged, falls
from outcomes.figures.queries.doubt import Doubt, doubt_in
from outcomes.figures.queries.targets import tool_targets
from outcomes.figures.words import outputs_words
from outcomes.jobs.views import backlog_of
from outcomes.overview import words
from outcomes.sessions.queries.stopped import newest_stopped, stopped_counts
from outcomes.sessions.tables import SESSIONS
from outcomes.tools.domain.tools import Compared
from outcomes.tools.tables import TOOLS_OF_AGENT
from outcomes.tools.views.rows import tool_rows, worst_first
from outcomes.web.paging import with_query
from outcomes.web.scope import detail_query, scope_of, tag_of

TOOLS_SHOWN = 8


@require_safe
@member_page()
def project(request: MemberRequest) -> HttpResponse:
    """Redirect from a project's root to its overview, with the same query."""
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
def live_overview(request: MemberRequest) -> HttpResponse:
    """Content of the page, polled every second; 204 when unchanged."""
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
    total, then = now.total, before.total
    worse = is_worse(total, then)
    tools_before = before.by_tool
    # A tool that is no longer called is listed in the file, with its previous figures.
    tools = {name: now.by_tool.get(name, Figures()) for name in {**tools_before, **now.by_tool}}
    fallen = falls(_judged(tools), _judged(tools_before))
    doubt = doubt_in(project_id, scope)
    ranked = worst_first(tools, doubt.by_tool)
    worst = [name for name in ranked if tools[name].judged][:TOOLS_SHOWN]
    waiting = backlog_of(request, project_id)
    number = _open_alerts(request, scope.environment) + is_behind(waiting)
    alerts = (
        listed_alerts(request.project, waiting, words.MOST, scope.environment) if number else []
    )
    newest = counts.newest_event or newest_event(project_id)
    tag = tag_of(request, scope, newest)
    live = reverse("outcomes:overview_standing", args=[request.project.slug])
    sentence = words.sentence(alerts, number, total, fallen, tools, doubt, scope)
    return {
        "sentence": sentence,
        "second": words.second_sentence(sentence, total, doubt),
        "suspected": len(doubt),
        "target": request.project.success_target,
        "is_low": is_below(total, request.project.success_target),
        "lowest_rate": lowest_rate(total, len(doubt)),
        "outputs": outputs_words(total),
        "has_calls": bool(total),
        "is_new": not newest,
        "now": total,
        "before": then,
        "counts": counts,
        "points": points_words(total, then),
        "worse": worse,
        "alerts": rows(alerts[: words.MOST], detail_query(request)),
        "number_of_alerts": number,
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
            suspected=doubt.by_tool,
            targets=tool_targets(project_id),
        ),
        "tools_of": len(now.by_tool),
        "compared": (
            Compared(each, tools[each], tools_before.get(each, Figures())) for each in ranked
        ),
        "live_url": with_query(live, **scope.query() | {"tag": tag}),
        **_charts(request, scope, now, before, doubt, worse=worse),
    }


def _charts(
    request: MemberRequest, scope: Scope, now: Period, before: Period, doubt: Doubt, *, worse: bool
) -> dict[str, Any]:
    link = link_to_calls(request.project.slug, scope)
    return {
        "outcomes_chart": charts.outcomes_chart(scope, now, link, doubt),
        "rate_chart": charts.rate_chart(scope, now, before, doubt),
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


def _urls(request: MemberRequest, scope: Scope) -> dict[str, str]:
    slug = request.project.slug
    calls = with_query(reverse("outcomes:calls", args=[slug]), **scope.query())
    sessions = with_query(reverse("outcomes:sessions", args=[slug]), **scope.query())
    differing = with_query(reverse("outcomes:disagreements", args=[slug]), **scope.query())
    if scope.agent:  # the disagreements page has no agent filter
        differing = with_query(calls, show="disagree")
    return {
        "calls": calls,
        "failures": with_query(calls, show="failures"),
        "denials": with_query(reverse("outcomes:denials", args=[slug]), **scope.query()),
        "disagreements": differing,
        "sessions": sessions,
        "stopped": with_query(sessions, state="stopped"),
    }


def _open_alerts(request: MemberRequest, environment: str) -> int:
    """Open alerts: the navigation's count or, for one environment, that of its Alerts page."""
    number = navigation_of(request, request.project).alerts
    return alert_counts(request.project, environment).open if number and environment else number


def _judged(tools: Mapping[str, Figures]) -> dict[str, Judged]:
    return {
        name: Judged(each.successes, each.judged) for name, each in tools.items() if each.judged
    }
