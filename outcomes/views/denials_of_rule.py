"""What one rule of a contract stopped: over time, by tool and agent, call by call."""

from dataclasses import replace
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.domain.errors import NotFound
from governance.queries.versions import rule_written
from governance.table_files import table_file
from outcomes import queries
from outcomes.domain.denials import Rule
from outcomes.domain.scope import Scope
from outcomes.queries import CallFilter
from outcomes.queries.call_lists import PLACE_BY_TIME
from outcomes.queries.denials import denied_of, wanted_of
from outcomes.templatetags.addresses import try_url
from outcomes.views import denials_charts as charts
from outcomes.views.denials import bars_of, denied_url, link_to_steps, rule_url
from outcomes.views.denials_words import most_words, rule_sentence
from outcomes.views.narrowing import narrowing_of
from outcomes.views.overview_charts import STEP_WORDS
from outcomes.views.paging import every, files_of, links_of, start_of, with_query
from outcomes.views.rows import call_lines, folded
from outcomes.views.scope import scope_of
from outcomes.views.sentences import counted
from outcomes.views.table_columns import CALLS

DENIED: Final = "denied"


@require_safe
@member_page()
def denials_of_rule(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request)
    rule = _rule(request)
    if (file := _file(request, scope, rule)) is not None:
        return file
    context = _of_rule(request, scope, rule) | _calls(request, scope, rule)
    return render(request, "outcomes/denials_of_rule.html", context)


def _rule(request: MemberRequest) -> Rule:
    name, narrowing = request.GET.get("rule", ""), narrowing_of(request)
    if not name:
        raise NotFound("There is no rule without a name.")
    return Rule(name, narrowing.contract, narrowing.version or 0)


def _of_rule(request: MemberRequest, scope: Scope, rule: Rule) -> dict[str, Any]:
    project, slug = request.project, request.project.slug
    found = denied_of(project.pk, scope, rule)
    whole = found.denials.whole
    step = STEP_WORDS[scope.step]
    narrowed = _narrowed(rule)
    written = None
    if rule.contract and rule.version:
        written = rule_written(project.pk, rule.contract, rule.version, rule.name)
    return {
        "page_title": rule.name,
        "rule": rule,
        "sentence": rule_sentence(scope, rule, whole, found.calls),
        "whole": whole,
        "written": written,
        "step_words": step,
        "most_words": most_words(whole, step),
        "chart": charts.of_rule(scope, whole, link_to_steps(slug, scope, **narrowed)),
        "by": [
            (
                "By tool",
                "tool",
                True,
                bars_of(
                    found.denials.by_tool,
                    lambda name: denied_url(slug, scope, **narrowed, tool=name),
                ),
            ),
            (
                "By agent",
                "agent",
                True,
                bars_of(
                    found.denials.by_agent,
                    lambda name: denied_url(slug, scope, **narrowed | {"agent": name}),
                ),
            ),
        ],
        "back_url": with_query(reverse("outcomes:denials", args=[slug]), **scope.query()),
        "backtest_url": _backtest_url(slug, rule),
    }


def _backtest_url(slug: str, rule: Rule) -> str:
    return reverse("outcomes:backtests", args=[slug, rule.contract]) if rule.contract else ""


def _calls(request: MemberRequest, scope: Scope, rule: Rule) -> dict[str, Any]:
    start = start_of(request.GET, PLACE_BY_TIME)
    page = queries.calls_by_time(
        request.project.pk,
        _wanted(scope, rule),
        show=DENIED,
        before=start.before,
        after=start.after,
    )
    here = rule_url(request.project.slug, rule, scope)
    newest = page.rows[0] if page.rows else None
    return {
        "lines": folded(call_lines(page.rows, timezone.now())),
        "show": DENIED,
        "shown": f"{counted(len(page.rows), 'call')}, newest first",
        "links": links_of(page, PLACE_BY_TIME, here),
        "files": files_of(here),
        "try_url": try_url(request.project.slug, newest.call_id, newest.environment.name)
        if newest is not None and newest.arguments is not None
        else "",
    }


def _file(request: MemberRequest, scope: Scope, rule: Rule) -> StreamingHttpResponse | None:
    wanted = _wanted(scope, rule)
    return table_file(
        request,
        request.project,
        "denied-calls",
        CALLS,
        lambda: every(
            lambda before: queries.calls_by_time(
                request.project.pk, wanted, show=DENIED, before=before
            ),
            PLACE_BY_TIME,
        ),
    )


def _wanted(scope: Scope, rule: Rule) -> CallFilter:
    return replace(
        wanted_of(rule),
        environment=scope.environment,
        agent=scope.agent,
        since=scope.since,
        until=scope.until,
    )


def _narrowed(rule: Rule) -> dict[str, str]:
    told = {"rule": rule.name, "contract": rule.contract}
    return told | ({"version": str(rule.version)} if rule.version else {})
