"""Activity of an agent vs the previous period: success rate, tools and denials."""

from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import one_of_tables
from outcomes.core.scope import Scope
from outcomes.denials.views.denials import denied_url
from outcomes.figures import charts
from outcomes.figures.charts import link_to_calls
from outcomes.figures.comparison import is_worse, newest_event, points_words, two_periods
from outcomes.figures.domain.figures import Figures, is_below, lowest_rate
from outcomes.figures.queries.doubt import doubt_in
from outcomes.figures.queries.targets import tool_targets
from outcomes.figures.words import outputs_words
from outcomes.sessions.queries.stopped import stopped_counts
from outcomes.tools.domain.tools import Compared
from outcomes.tools.tables import TOOLS_OF_AGENT
from outcomes.tools.views.rows import tool_rows, worst_first
from outcomes.web.addresses import agent_url
from outcomes.web.paging import shown_part, with_query
from outcomes.web.scope import scope_of, tag_of

PART: Final = "agents/_agent_activity.html"
TOOLS_SHOWN: Final = 12


@require_safe
@member_page()
def agent_activity(request: MemberRequest) -> HttpResponseBase:
    """Part of the agent's page, loaded after it and polled; also a separate page."""
    scope, name = scope_of(request, by_agent=False), request.GET.get("of", "")
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
    total, then = now.total, before.total
    worse = is_worse(total, then)
    chosen = scope.query()
    addresses = {
        page: with_query(reverse(f"outcomes:{page}", args=[slug]), **chosen)
        for page in ("calls", "denials", "sessions")
    }
    doubt = doubt_in(project_id, scope)
    tools, was = now.by_tool, before.by_tool
    worst = [name for name in worst_first(tools, doubt.by_tool) if tools[name]]
    return {
        "suspected": len(doubt),
        "target": request.project.success_target,
        "is_low": is_below(total, request.project.success_target),
        "lowest_rate": lowest_rate(total, len(doubt)),
        "outputs": outputs_words(total),
        "now": total,
        "before": then,
        "points": points_words(total, then),
        "worse": worse,
        "counts": counts,
        "reasons": _reasons(slug, scope, total, then),
        "tools": tool_rows(
            slug,
            scope,
            worst[:TOOLS_SHOWN],
            now,
            tools,
            was,
            suspected=doubt.by_tool,
            targets=tool_targets(project_id),
        ),
        "tools_of": len(worst),
        "compared": (Compared(each, tools[each], was.get(each, Figures())) for each in worst),
        "step_words": charts.STEP_WORDS[scope.step],
        "calls_url": addresses["calls"],
        "denials_url": addresses["denials"],
        "sessions_url": addresses["sessions"],
        "longer_url": with_query(agent_url(slug, name), range="30d"),
        "activity_url": activity_url(slug, name, of_all, tag_of(request, of_all, newest)),
        "back": agent_url(slug, name),
        **charts.figures_charts(scope, now, before, link_to_calls(slug, scope), doubt, worse=worse),
    }


def _reasons(
    slug: str, scope: Scope, now: Figures, before: Figures
) -> list[tuple[str, int, int, str]]:
    """Denial reasons, most frequent first: calls now, calls before, and the list's URL."""
    was = before.by_reason
    reasons = [
        (
            reason,
            each.calls,
            was[reason].calls if reason in was else 0,
            denied_url(slug, scope, reason=reason),
        )
        for reason, each in now.by_reason.items()
    ]
    return sorted(reasons, key=lambda each: (-each[1], each[0]))
