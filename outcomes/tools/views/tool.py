"""The page of one tool: how it does, since when, where it fails, and what judges it."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.checks.queries import selection
from governance.checks.queries.selection import Judges
from governance.people.auth import MemberRequest, beside, member_page
from outcomes.core.scope import Scope
from outcomes.figures import charts
from outcomes.figures.comparison import is_worse, points_words
from outcomes.figures.domain.figures import Figures
from outcomes.suggestions.queries import suggestions_for
from outcomes.suggestions.words import what_words
from outcomes.tools.charts import took_chart
from outcomes.tools.queries.tools import NamedTool, periods_of_tool
from outcomes.tools.views.checks import judges_of, seen_of
from outcomes.tools.views.named import named_tool
from outcomes.tools.words.tool import tool_second_sentence, tool_sentence
from outcomes.web.addresses import tool_url
from outcomes.web.chart_links import link_to_calls
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of, tag_of


@require_safe
@member_page()
def tool(request: MemberRequest, tool_name: str) -> HttpResponse:
    scope = scope_of(request)
    named = named_tool(request, tool_name, scope)
    judges = selection.judges(request.project.pk)
    context = _tool(request, named, scope, judges) | {"page_title": named.tool.name}
    return render(request, "tools/tool.html", context)


@require_safe
@member_page()
def tool_standing(request: MemberRequest) -> HttpResponse:
    """The page's content alone, as long as something has changed; asked for every second."""
    scope = scope_of(request)
    named = named_tool(request, request.GET.get("of", ""), scope)
    judges = selection.judges(request.project.pk)
    if request.GET.get("tag") == tag_of(request, scope, named.newest_event, seen_of(judges)):
        return HttpResponse(status=204)
    context = _tool(request, named, scope, judges)
    return render(request, "tools/_tool.html", context | {"alone": True})


def _tool(request: MemberRequest, named: NamedTool, scope: Scope, judges: Judges) -> dict[str, Any]:
    slug, found = request.project.slug, named.tool
    tag = tag_of(request, scope, named.newest_event, seen_of(judges))
    now, before = periods_of_tool(named, scope)
    whole, then = now.whole, before.whole
    worse = is_worse(whole, then)
    calls = with_query(
        reverse("outcomes:calls", args=[slug]), **scope.query() | {"tool": found.name}
    )
    of_it = {"of": found.name, **scope.query()}
    environments = list(beside(request, request.project).waiting)
    return {
        "name": found.name,
        "sentence": tool_sentence(found.name, whole, then, scope),
        "second": tool_second_sentence(whole),
        "now": whole,
        "before": then,
        "points": points_words(whole, then),
        "worse": worse,
        "suggestions": [what_words(each) for each in suggestions_for(found)],
        "judges": judges_of(judges, found.name, environments, scope),
        "denials": _denials(whole, then),
        "step_words": charts.STEP_WORDS[scope.step],
        "calls_url": calls,
        "longer_url": tool_url(slug, found.name, range="30d"),
        "groups_url": with_query(reverse("outcomes:tool_groups", args=[slug]), **of_it),
        "results_url": with_query(reverse("outcomes:tool_results", args=[slug]), **of_it),
        "calls_part_url": with_query(reverse("outcomes:tool_calls", args=[slug]), **of_it),
        "live_url": with_query(reverse("outcomes:tool_standing", args=[slug]), **of_it, tag=tag),
        **charts.figures_charts(
            scope, now, before, link_to_calls(slug, scope, tool=found.name), worse=worse
        ),
        "took_chart": took_chart(scope, now, whole),
        "took_spark": charts.tile_spark(
            now, before, lambda each: each.p95_ms, "The 95th percentile over time", bad=False
        ),
    }


def _denials(now: Figures, before: Figures) -> list[tuple[str, int, int]]:
    """By reason, the most frequent first: now and before."""
    then = before.by_reason
    found = [
        (reason, each.calls, then[reason].calls if reason in then else 0)
        for reason, each in now.by_reason.items()
    ]
    return sorted(found, key=lambda each: (-each[1], each[0]))
