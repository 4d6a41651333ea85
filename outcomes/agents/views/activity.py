"""What an agent did, beside the time before: its rate, its tools, what was denied to it."""

from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.core.figures import percent
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import one_of_tables
from outcomes.core.scope import Scope
from outcomes.denials.views.denials import denied_url
from outcomes.figures import charts
from outcomes.figures.comparison import is_worse, newest_event, points_words, two_periods
from outcomes.figures.domain.figures import Figures
from outcomes.sessions.queries.stopped import StoppedCounts, stopped_counts
from outcomes.tools.domain.tools import Compared
from outcomes.tools.tables import TOOLS_OF_AGENT
from outcomes.tools.views.rows import tool_rows, worst_first
from outcomes.web.addresses import agent_url
from outcomes.web.chart_links import link_to_calls
from outcomes.web.paging import with_query
from outcomes.web.parts import shown_part
from outcomes.web.scope import scope_of, tag_of
from outcomes.web.sentences import counted

PART: Final = "agents/_agent_activity.html"
TOOLS_SHOWN: Final = 12


@require_safe
@member_page()
def agent_activity(request: MemberRequest) -> HttpResponseBase:
    """A part of the agent's page: fetched once that is there, and again as long as something has
    changed; a page of its own for who follows its link."""
    scope, name = scope_of(request, of_agent=False), request.GET.get("of", "")
    newest = newest_event(request.project.pk)
    if request.GET.get("tag") == tag_of(request, scope, newest):
        return HttpResponse(status=204)
    context = _activity(request, name, scope, newest) | {"page_title": name}
    file = one_of_tables(request, request.project, {"tools": (TOOLS_OF_AGENT, context["compared"])})
    return file or shown_part(request, PART, "agents/agent_activity.html", context)


def activity_url(slug: str, name: str, scope: Scope, tag: str = "") -> str:
    address = reverse("outcomes:agent_activity", args=[slug])
    return with_query(address, of=name, **scope.query(), tag=tag)


def _activity(request: MemberRequest, name: str, of_all: Scope, newest: int) -> dict[str, Any]:
    project_id, slug = request.project.pk, request.project.slug
    scope = replace(of_all, agent=name)
    now, before = two_periods(project_id, scope)
    counts = stopped_counts(project_id, scope)
    whole, then = now.whole, before.whole
    worse = is_worse(whole, then)
    chosen = scope.query()
    addresses = {
        page: with_query(reverse(f"outcomes:{page}", args=[slug]), **chosen)
        for page in ("calls", "denials", "sessions")
    }
    tools, was = now.by_tool, before.by_tool
    worst = [name for name in worst_first(tools) if tools[name]]
    return {
        "did": did_sentence(of_all, whole, then, counts),
        "now": whole,
        "before": then,
        "points": points_words(whole, then),
        "worse": worse,
        "counts": counts,
        "reasons": _reasons(slug, scope, whole, then),
        "tools": tool_rows(slug, scope, worst[:TOOLS_SHOWN], now, tools, was),
        "tools_of": len(worst),
        "compared": (Compared(each, tools[each], was.get(each, Figures())) for each in worst),
        "step_words": charts.STEP_WORDS[scope.step],
        "calls_url": addresses["calls"],
        "denials_url": addresses["denials"],
        "sessions_url": addresses["sessions"],
        "longer_url": with_query(agent_url(slug, name), range="30d"),
        "activity_url": activity_url(slug, name, of_all, tag_of(request, of_all, newest)),
        "back": agent_url(slug, name),
        **charts.figures_charts(scope, now, before, link_to_calls(slug, scope), worse=worse),
    }


def did_sentence(scope: Scope, now: Figures, before: Figures, counts: StoppedCounts) -> str:
    """97.2 % of 1,204 calls succeeded in the last 24 hours, was 98.0 % of 1,100; 12 were denied."""
    if not now:
        was = f"; {before.calls:,} in {scope.before_words}" if before else ""
        return f"It called nothing {scope.in_words}{was}."
    said = [f"{counted(now.calls, 'call')} {scope.in_words}"]
    if now.judged:
        was = f", was {percent(before.rate)} of {before.judged:,}" if before.judged else ""
        said = [
            f"{percent(now.rate)} of {counted(now.judged, 'call')} succeeded {scope.in_words}{was}"
        ]
    if now.denied:
        said.append(f"{now.denied:,} {'was' if now.denied == 1 else 'were'} denied")
    if counts.stopped:
        said.append(f"{counted(counts.stopped, 'session')} stopped by a limit")
    return "; ".join(said) + "."


def _reasons(
    slug: str, scope: Scope, now: Figures, before: Figures
) -> list[tuple[str, int, int, str]]:
    """The most frequent first: each now, before, and where its calls are."""
    was = before.by_reason
    found = [
        (
            reason,
            each.calls,
            was[reason].calls if reason in was else 0,
            denied_url(slug, scope, reason=reason),
        )
        for reason, each in now.by_reason.items()
    ]
    return sorted(found, key=lambda each: (-each[1], each[0]))
