"""Page of one contract rule: its denials over time, by tool and agent, and the denied calls."""

from collections.abc import Iterator
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.contracts.queries.versions import rule_written
from governance.core.errors import NotFound
from governance.core.figures import counted
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.calls.queries.lists import CALLS_BELOW, IN_FILE, calls_by_time
from outcomes.calls.views.rows import call_lines, folded
from outcomes.core.scope import Scope
from outcomes.denials import charts
from outcomes.denials.queries.denial_sums import Denials
from outcomes.denials.queries.denials import denied_by
from outcomes.denials.views.denials import bars_of, denied_url, rule_url
from outcomes.denials.words import most_words, rule_sentence
from outcomes.figures.charts import STEP_WORDS, link_to_calls
from outcomes.figures.queries.group_calls import groups_of_rule
from outcomes.models import Call
from outcomes.stored.queries import PLACE_BY_TIME, CallFilter
from outcomes.web.addresses import try_url
from outcomes.web.narrowing import Narrowing, narrowing_of
from outcomes.web.paging import every, links_of, start_of, with_query
from outcomes.web.scope import detail_query, scope_of
from outcomes.web.tables import CALLS

DENIED: Final = "denied"


@require_safe
@member_page()
def denials_of_rule(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request)
    rule = _rule(request)
    if (file := _file(request, scope, rule)) is not None:
        return file
    context = _rule_context(request, scope, rule)
    context |= _calls(request, scope, rule, context["whole"].groups)
    return render(request, "denials/denials_of_rule.html", context)


def _rule(request: MemberRequest) -> str:
    if rule := request.GET.get("rule", ""):
        return rule
    raise NotFound("No rule is named.")


def _rule_context(request: MemberRequest, scope: Scope, rule: str) -> dict[str, Any]:
    project, slug = request.project, request.project.slug
    narrowing = narrowing_of(request)
    is_named = bool(narrowing.contract and narrowing.version)
    denied = denied_by(project.pk, scope, rule, with_contract=not is_named)
    total = denied.denials
    contract, version = _written_in(narrowing, total)
    step = STEP_WORDS[scope.step]
    by_tool = bars_of(total.by_tool, lambda name: denied_url(slug, scope, rule=rule, tool=name))
    by_agent = bars_of(total.by_agent, lambda name: denied_url(slug, scope, rule=rule, agent=name))
    return {
        "page_title": rule,
        "rule": rule,
        "contract": contract,
        "version": version,
        "sentence": rule_sentence(scope, rule, total, denied.calls),
        "whole": total,
        "written": rule_written(project.pk, contract, version, rule) if version else None,
        "step_words": step,
        "most_words": most_words(total, step),
        "chart": charts.rule_chart(
            scope, total, link_to_calls(slug, scope, show=DENIED, rule=rule)
        ),
        "by": [("By tool", "tool", True, by_tool), ("By agent", "agent", True, by_agent)],
        "back_url": with_query(reverse("outcomes:denials", args=[slug]), **scope.query()),
        "backtest_url": reverse("outcomes:backtests", args=[slug, contract]) if contract else "",
    }


def _written_in(narrowing: Narrowing, denied: Denials) -> tuple[str, int]:
    """Contract and version whose YAML is shown: from the URL, else from the newest call."""
    if narrowing.contract and narrowing.version:
        return narrowing.contract, narrowing.version
    newest = next((each for each in denied.by_rule if each.version), None)
    return (newest.contract, newest.version or 0) if newest else ("", 0)


def _calls(
    request: MemberRequest, scope: Scope, rule: str, groups: frozenset[int]
) -> dict[str, Any]:
    start = start_of(request.GET, PLACE_BY_TIME)
    page = calls_by_time(
        request.project.pk,
        _filters(scope, rule, groups),
        show=DENIED,
        before=start.before,
        after=start.after,
        size=CALLS_BELOW,
    )
    narrowing = narrowing_of(request)
    here = rule_url(request.project.slug, scope, rule, narrowing.contract, narrowing.version)
    newest = page.rows[0] if page.rows else None
    return {
        "session": None,  # templates read it for each row
        "lines": folded(call_lines(page.rows, timezone.now())),
        "show": DENIED,
        "shown": f"{counted(len(page.rows), 'call')}, newest first",
        "links": links_of(page, PLACE_BY_TIME, here),
        "try_url": try_url(
            request.project.slug,
            newest.call_id,
            newest.environment.name,
            **detail_query(request),
        )
        if newest is not None and newest.arguments is not None
        else "",
    }


def _file(request: MemberRequest, scope: Scope, rule: str) -> StreamingHttpResponse | None:
    project = request.project

    def rows() -> Iterator[Call]:
        filters = _filters(scope, rule, groups_of_rule(project.pk, rule))
        return every(
            lambda before: calls_by_time(
                project.pk, filters, show=DENIED, before=before, names=IN_FILE
            ),
            PLACE_BY_TIME,
        )

    return table_file(request, project, "denied-calls", CALLS, rows)


def _filters(scope: Scope, rule: str, groups: frozenset[int]) -> CallFilter:
    return CallFilter(
        environment=scope.environment,
        agent=scope.agent,
        rule=rule,
        groups=groups,
        since=scope.since,
        until=scope.until,
    )
