"""Denials page: denials over time, in loops, by reason, tool, agent and rule."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.exports import offer_table
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.denials import charts
from outcomes.denials.domain import Loop
from outcomes.denials.queries.denial_sums import Denials, Denied
from outcomes.denials.queries.denials import denial_loops, denied_of, observed_in
from outcomes.denials.tables import DENIALS, LOOPS, OBSERVED, RULES
from outcomes.denials.words import denials_second_sentence, denials_sentence, most_words
from outcomes.figures.charts import STEP_WORDS, link_to_calls
from outcomes.figures.comparison import newest_event
from outcomes.figures.queries.groups import GroupFigures, GroupPlace, denial_groups
from outcomes.web.addresses import call_url, denied_by_url, session_url
from outcomes.web.paging import hash_of, with_query
from outcomes.web.scope import detail_query, scope_of

TOOLS_SHOWN: Final = 8
RULES_SHOWN: Final = 50
MOST_IN_FILE: Final = 100_000  # loops


class Bar(NamedTuple):
    sum: Denied
    url: str


class Bars(NamedTuple):
    """Bars, longest first, and the totals of the rest."""

    lines: list[Bar]
    most: int
    more: int  # number of other rows, whose totals follow
    calls: int
    before: int


# File names of the tables, by their name in URLs.
FILE_NAMES: Final = {
    "rules": "denials-by-rule",
    "loops": "denial-loops",
    "observed": "would-have-been-denied",
}


class LoopLine(NamedTuple):
    loop: Loop
    goes_on: bool
    session_url: str
    call_url: str
    rule_url: str


class RuleLine(NamedTuple):
    sum: Denied
    trend: SafeString
    url: str


@require_safe
@member_page()
def denials(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request)
    if (file := _file(request, scope)) is not None:
        return file
    for table in ("rules", "loops", "observed"):
        offer_table(request, FILE_NAMES[table], table=table)
    context = _denials(request, scope) | {"page_title": "Denials"}
    return render(request, "denials/denials.html", context)


@require_safe
@member_page()
def live_denials(request: MemberRequest) -> HttpResponse:
    """The page's content, if something has changed since the last poll."""
    scope = scope_of(request)
    if request.GET.get("tag") == _tag(scope, newest_event(request.project.pk)):
        return HttpResponse(status=204)
    context = _denials(request, scope) | {"alone": True}
    return render(request, "denials/_denials.html", context)


def rule_url(
    slug: str, scope: Scope, rule: str, contract: str = "", version: int | None = None
) -> str:
    return with_query(denied_by_url(slug, rule, contract, version), **scope.query())


def denied_url(slug: str, scope: Scope, **narrowed: str) -> str:
    """URL of the list of exactly these calls."""
    address = reverse("outcomes:calls", args=[slug])
    return with_query(address, **scope.query() | {"show": "denied"} | narrowed)


def bars_of(sums: list[Denied], url: Callable[[str], str], shown: int = TOOLS_SHOWN) -> Bars:
    """Bars of the rows that have calls in the current period."""
    now = [each for each in sums if each.calls]
    rest = now[shown:]
    return Bars(
        [Bar(each, url(each.name)) for each in now[:shown]],
        now[0].calls if now else 0,
        len(rest),
        sum(each.calls for each in rest),
        sum(each.before for each in rest),
    )


def _denials(request: MemberRequest, scope: Scope) -> dict[str, Any]:
    project, slug, now = request.project, request.project.slug, timezone.now()
    denied = denied_of(project.pk, scope)
    loops = denial_loops(project.pk, scope, now)
    total = denied.denials
    rules, query = _named(total.by_rule), detail_query(request)
    live = reverse("outcomes:denials_standing", args=[slug])
    figures = scope, total, denied.calls, denied.calls_before, loops
    return {
        "sentence": denials_sentence(*figures),
        "second": denials_second_sentence(*figures),
        "is_new": not denied.newest_event,
        "calls": denied.calls,
        "whole": total,
        "step_words": STEP_WORDS[scope.step],
        "most_words": most_words(total, STEP_WORDS[scope.step]),
        "chart": charts.by_reason(
            scope, total.by_reason, link_to_calls(slug, scope, show="denied")
        ),
        "loops": [_loop_line(slug, scope, loop, now, query) for loop in loops.shown],
        "loops_of": loops.number,
        "loops_before": loops.before,
        "by": _by(slug, scope, total),
        "rules": _rule_lines(slug, scope, rules),
        "rules_of": sum(bool(each.calls) for each in rules),
        "named": sum(each.calls for each in rules),
        "observed": observed_in(project.pk, scope),
        "all_url": denied_url(slug, scope),
        "live_url": with_query(live, **scope.query(), tag=_tag(scope, denied.newest_event)),
    }


def _by(slug: str, scope: Scope, denied: Denials) -> list[tuple[str, str, bool, Bars]]:
    """Heading, noun, whether names are code, and the bars."""
    return [
        (
            "By reason",
            "reason",
            False,
            bars_of(denied.by_reason, lambda name: denied_url(slug, scope, reason=name), 12),
        ),
        (
            "By tool",
            "tool",
            True,
            bars_of(denied.by_tool, lambda name: denied_url(slug, scope, tool=name)),
        ),
        (
            "By agent",
            "agent",
            True,
            bars_of(denied.by_agent, lambda name: denied_url(slug, scope, agent=name)),
        ),
    ]


def _rule_lines(slug: str, scope: Scope, rules: list[Denied]) -> list[RuleLine]:
    shown = [each for each in rules if each.calls][:RULES_SHOWN]
    most = max((max(each.steps) for each in shown), default=0)
    return [
        RuleLine(
            each,
            charts.trend(each, most),
            rule_url(slug, scope, each.name, each.contract, each.version),
        )
        for each in shown
    ]


def _loop_line(
    slug: str, scope: Scope, loop: Loop, now: datetime, query: dict[str, str]
) -> LoopLine:
    session = session_url(slug, loop.session_id, loop.environment, **query)
    return LoopLine(
        loop,
        loop.goes_on(now),
        f"{session}#loop",
        call_url(slug, loop.call_id, loop.environment, **query),
        rule_url(slug, scope, loop.rule) if loop.rule else "",
    )


def _file(request: MemberRequest, scope: Scope) -> StreamingHttpResponse | None:
    """Requested table of the page as a file; without a name, similar denials by group."""
    project = request.project
    match request.GET.get("table", ""):
        case "loops":
            return table_file(
                request,
                project,
                FILE_NAMES["loops"],
                LOOPS,
                lambda: denial_loops(project.pk, scope, timezone.now(), MOST_IN_FILE).shown,
            )
        case "rules":
            return table_file(
                request,
                project,
                FILE_NAMES["rules"],
                RULES,
                lambda: _named(denied_of(project.pk, scope).denials.by_rule),
            )
        case "observed":
            return table_file(
                request,
                project,
                FILE_NAMES["observed"],
                OBSERVED,
                lambda: observed_in(project.pk, scope),
            )
        case _:
            return table_file(
                request,
                project,
                "denials",
                DENIALS,
                lambda: _every_group(project.pk, scope),
            )


def _named(rules: list[Denied]) -> list[Denied]:
    return [each for each in rules if each.name]


def _every_group(project_id: int, scope: Scope) -> Iterator[GroupFigures]:
    after: GroupPlace | None = None
    while page := denial_groups(project_id, scope, after=after):
        yield from page.groups
        if (after := page.next) is None:
            return


def _tag(scope: Scope, newest: int) -> str:
    """Tag of the page's content: the newest event, the scope and the minute."""
    return hash_of(newest, scope.query(), scope.since, scope.until)
