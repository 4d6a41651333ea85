"""Page of one tool: success, durations, denials and check."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.checks.queries import checks
from governance.checks.queries.checks import Judges
from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.people.policies import Action, may
from governance.web.exports import offer_part
from outcomes.core.scope import Scope
from outcomes.figures import charts
from outcomes.figures.charts import link_to_calls
from outcomes.figures.comparison import is_worse, points_words
from outcomes.figures.domain.figures import Figures, is_below, lowest_rate
from outcomes.figures.queries.doubt import doubt_in
from outcomes.figures.words import outputs_words
from outcomes.suggestions.queries import suggestions_for
from outcomes.suggestions.words import what_words
from outcomes.tools.charts import took_chart
from outcomes.tools.queries.tools import NamedTool, periods_of_tool
from outcomes.tools.views.checks import judges_of, seen_of
from outcomes.tools.views.named import named_tool
from outcomes.tools.words.tool import tool_second_sentence, tool_sentence
from outcomes.web.addresses import tool_url
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of, tag_of


@require_safe
@member_page()
def tool(request: MemberRequest, tool_name: str) -> HttpResponse:
    scope = scope_of(request)
    named = named_tool(request, tool_name, scope)
    judges = checks.judges(request.project.pk)
    context = _tool(request, named, scope, judges) | {"page_title": named.tool.name}
    parts = {"of": named.tool.name, **scope.query()}
    offer_part(request, "failure-groups", "outcomes:tool_groups", **parts)
    offer_part(request, "shapes", "outcomes:tool_results", table="shapes", **parts)
    offer_part(request, "slowest-calls", "outcomes:tool_calls", **parts)
    offer_part(request, "agents", "outcomes:tool_calls", table="agents", **parts)
    offer_part(
        request,
        "rules",
        "governance:tool_rules",
        table="rules",
        of=named.tool.name,
        environment=scope.environment,
    )
    return render(request, "tools/tool.html", context)


@require_safe
@member_page()
def live_tool(request: MemberRequest) -> HttpResponse:
    """Content of the page, if something has changed since the last poll."""
    scope = scope_of(request)
    named = named_tool(request, request.GET.get("of", ""), scope)
    judges = checks.judges(request.project.pk)
    if request.GET.get("tag") == tag_of(request, scope, named.newest_event, seen_of(judges)):
        return HttpResponse(status=204)
    context = _tool(request, named, scope, judges)
    return render(request, "tools/_tool.html", context | {"alone": True})


def _tool(request: MemberRequest, named: NamedTool, scope: Scope, judges: Judges) -> dict[str, Any]:
    slug, tool = request.project.slug, named.tool
    tag = tag_of(request, scope, named.newest_event, seen_of(judges))
    now, before = periods_of_tool(named, scope)
    total, then = now.total, before.total
    worse = is_worse(total, then)
    doubt = doubt_in(request.project.pk, scope, tool=tool.name)
    own, of_all = tool.success_target, request.project.success_target
    target = of_all if own is None else own
    calls = with_query(
        reverse("outcomes:calls", args=[slug]), **scope.query() | {"tool": tool.name}
    )
    query = {"of": tool.name, **scope.query()}
    environments = list(navigation_of(request, request.project).waiting)
    return {
        "name": tool.name,
        "sentence": tool_sentence(tool.name, total, then, scope, doubt),
        "second": tool_second_sentence(total, doubt),
        "suspected": len(doubt),
        "target": target,
        "is_low": is_below(total, target),
        "may_set_target": may(request.role, Action.SET_TARGET),
        "lowest_rate": lowest_rate(total, len(doubt)),
        "outputs": outputs_words(total),
        "now": total,
        "before": then,
        "points": points_words(total, then),
        "worse": worse,
        "suggestions": [what_words(each) for each in suggestions_for(tool)],
        "judges": judges_of(judges, tool.name, environments, scope),
        "denials": _denials(total, then),
        "step_words": charts.STEP_WORDS[scope.step],
        "calls_url": calls,
        "longer_url": tool_url(slug, tool.name, range="30d"),
        "groups_url": with_query(reverse("outcomes:tool_groups", args=[slug]), **query),
        "results_url": with_query(reverse("outcomes:tool_results", args=[slug]), **query),
        "calls_part_url": with_query(reverse("outcomes:tool_calls", args=[slug]), **query),
        "live_url": with_query(reverse("outcomes:tool_standing", args=[slug]), **query, tag=tag),
        **charts.figures_charts(
            scope, now, before, link_to_calls(slug, scope, tool=tool.name), doubt, worse=worse
        ),
        "took_chart": took_chart(scope, now, total),
        "took_spark": charts.tile_spark(
            now, before, lambda each: each.p95_ms, "The 95th percentile over time", bad=False
        ),
    }


def _denials(now: Figures, before: Figures) -> list[tuple[str, int, int]]:
    """Denials by reason, most frequent first: calls now and before."""
    then = before.by_reason
    rows = [
        (reason, each.calls, then[reason].calls if reason in then else 0)
        for reason, each in now.by_reason.items()
    ]
    return sorted(rows, key=lambda each: (-each[1], each[0]))
