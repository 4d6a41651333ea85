"""List of tools, worst first: success rate with its interval, vs the previous period."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from governance.checks.queries import checks
from governance.checks.queries.checks import Judges
from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.people.policies import Action, may
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.figures.charts import row_spark
from outcomes.figures.comparison import newest_event, summed_figures
from outcomes.figures.domain.standouts import Fall, Judged, falls
from outcomes.figures.queries.doubt import doubt_in
from outcomes.figures.queries.targets import tool_targets
from outcomes.tools.domain.tools import ORDERS, WORST_FIRST, Compared, Order, in_order
from outcomes.tools.queries.list import tools_in
from outcomes.tools.tables import TOOLS
from outcomes.tools.views.checks import JudgedBy, judges_of, seen_of
from outcomes.tools.words.tool import tools_sentence
from outcomes.web.addresses import tool_url
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of, tag_of

SHOWN: Final = 100
WITHOUT_CHECK: Final = "none"  # tools that no binding gives a check

SORTED: Final = (*ORDERS, "check")

# Title, tooltip and CSS classes of each column.
HEADS: Final = {
    "tool": ("Tool", "", ""),
    "success": ("Success", "Sorted by the upper bound of the 95 % interval", "num"),
    "change": ("Change", "In points, vs the previous period", "num"),
    "trend": ("Trend", "", "num from-1500"),
    "calls": ("Calls", "Denied and running calls included", "num"),
    "ran_and_failed": ("Ran, failed", "Executed, but the verdict is failure", "num"),
    "disagreements": ("Disagree", "Agent and check give different verdicts", "num not-middle"),
    "denied": ("Denied", "", "num"),
    "p50": ("p50", "Median duration", "num not-middle"),
    "p95": ("p95", "95th percentile of durations", "num"),
    "p99": ("p99", "99th percentile of durations", "num from-1500"),
    "check": ("Check", "The check that decides success", "not-middle"),
}


@dataclass(frozen=True, slots=True)
class ToolLine:
    name: str
    row: Compared
    trend: SafeString
    judges: list[JudgedBy]
    is_news: bool  # its success rate fell
    url: str
    calls_url: str
    target: float | None


class Head(NamedTuple):
    words: str
    means: str
    css: str
    url: str
    sorted: str  # value of aria-sort


@dataclass(frozen=True, slots=True)
class Choices:
    text: str
    check: str
    column: str
    turned: bool
    first: int

    def query(self) -> dict[str, str]:
        return {"q": self.text, "check": self.check, "sort": self.sort}

    @property
    def sort(self) -> str:
        sort = f"-{self.column}" if self.turned else self.column
        return "" if sort == WORST_FIRST else sort


@require_safe
@member_page()
def tools(request: MemberRequest) -> HttpResponseBase:
    scope, choices = scope_of(request), _choices(request)
    file = table_file(
        request, request.project, "tools", TOOLS, lambda: _chosen(request, scope, choices)
    )
    if file is not None:
        return file
    judges = checks.judges(request.project.pk)
    context = _tools(request, scope, choices, judges) | {
        "page_title": "Tools",
        "may_set_target": may(request.role, Action.SET_TARGET),
    }
    return render(request, "tools/tools.html", context)


@require_safe
@member_page()
def live_tools(request: MemberRequest) -> HttpResponse:
    """Table of tools, if something has changed since the last poll."""
    scope, choices = scope_of(request), _choices(request)
    judges = checks.judges(request.project.pk)
    if request.GET.get("tag") == _tag(request, scope, judges):
        return HttpResponse(status=204)
    context = _tools(request, scope, choices, judges) | {"alone": True}
    return render(request, "tools/_tools.html", context)


def _tools(
    request: MemberRequest, scope: Scope, choices: Choices, judges: Judges
) -> dict[str, Any]:
    tag = _tag(request, scope, judges)
    doubt = doubt_in(request.project.pk, scope)
    tools = tools_in(request.project.pk, scope, doubt.by_tool)
    rows = tools.rows
    judged = _judged_by(request, scope, rows, judges)
    own = _without_check(rows, judged)
    chosen = _ordered(own if choices.check else rows, choices, judged)
    first = choices.first if choices.first < len(chosen) else 0
    shown = chosen[first : first + SHOWN]
    fallen = _falls(rows)
    slug = request.project.slug
    here = with_query(reverse("outcomes:tools", args=[slug]), **scope.query())
    narrowed = with_query(here, **choices.query())
    live = reverse("outcomes:tools_standing", args=[slug])
    return {
        "sentence": tools_sentence(rows, fallen, doubt, scope),
        "now": summed_figures(row.now for row in rows),
        "lines": _lines(request, scope, shown, tools.rates, judged, fallen),
        "heads": _heads(here, choices),
        "text": choices.text,
        "check": choices.check,
        "sort": choices.sort,
        "choices": [
            (
                "All",
                len(rows),
                with_query(here, q=choices.text, sort=choices.sort),
                not choices.check,
            ),
            (
                "Default check only",
                len(own),
                with_query(here, q=choices.text, sort=choices.sort, check=WITHOUT_CHECK),
                bool(choices.check),
            ),
        ],
        "sums": {
            "ran": sum(row.now.ran for row in chosen),
            "denied": sum(row.now.denied for row in chosen),
            "disagreements": sum(row.now.disagreements for row in chosen),
        },
        "number": len(chosen),
        "has_tools": bool(rows),
        "all_url": here,
        "previous": _page(narrowed, first - SHOWN) if first else "",
        "next": _page(narrowed, first + SHOWN) if first + SHOWN < len(chosen) else "",
        "live_url": _page(with_query(live, **scope.query() | choices.query(), tag=tag), first),
    }


def _lines(
    request: MemberRequest,
    scope: Scope,
    shown: list[Compared],
    rates: Mapping[str, list[float | None]],
    judged: dict[str, list[JudgedBy]],
    fallen: list[Fall],
) -> list[ToolLine]:
    slug = request.project.slug
    targets = tool_targets(request.project.pk)
    known = [rate for row in shown for rate in rates[row.name] if rate is not None]
    among = (min(known, default=0.0), 1.0)
    news = {fall.tool for fall in fallen}
    calls = with_query(reverse("outcomes:calls", args=[slug]), **scope.query())
    return [
        ToolLine(
            name=row.name,
            row=row,
            trend=row_spark(
                rates[row.name],
                among,
                f"Success of {row.name} over time",
                bad=row.name in news,
            ),
            judges=judged[row.name],
            is_news=row.name in news,
            url=tool_url(slug, row.name, **scope.query()),
            calls_url=with_query(calls, tool=row.name),
            target=targets.get(row.name),
        )
        for row in shown
    ]


def _chosen(request: MemberRequest, scope: Scope, choices: Choices) -> list[tuple[Compared, str]]:
    """All matching tools with their checks."""
    doubt = doubt_in(request.project.pk, scope)
    rows = tools_in(request.project.pk, scope, doubt.by_tool).rows
    judged = _judged_by(request, scope, rows, checks.judges(request.project.pk))
    chosen = _ordered(_without_check(rows, judged) if choices.check else rows, choices, judged)
    return [(row, ", ".join(each.check for each in judged[row.name])) for row in chosen]


def _ordered(
    rows: list[Compared], choices: Choices, judged: Mapping[str, list[JudgedBy]]
) -> list[Compared]:
    fitting = [row for row in rows if choices.text.lower() in row.name.lower()]
    by_check = Order(lambda row: [each.check for each in judged[row.name]], least_first=True)
    return in_order(fitting, ORDERS.get(choices.column, by_check), turned=choices.turned)


def _judged_by(
    request: MemberRequest, scope: Scope, rows: list[Compared], judges: Judges
) -> dict[str, list[JudgedBy]]:
    environments = list(navigation_of(request, request.project).waiting)
    return {row.name: judges_of(judges, row.name, environments, scope) for row in rows}


def _without_check(rows: list[Compared], judged: dict[str, list[JudgedBy]]) -> list[Compared]:
    return [row for row in rows if not any(each.is_own for each in judged[row.name])]


def _falls(rows: list[Compared]) -> list[Fall]:
    now = {row.name: Judged(row.now.successes, row.now.judged) for row in rows if row.now.judged}
    before = {
        row.name: Judged(row.before.successes, row.before.judged)
        for row in rows
        if row.before.judged
    }
    return falls(now, before)


def _heads(here: str, choices: Choices) -> list[Head]:
    heads = []
    for column, (words, means, css) in HEADS.items():
        if column not in SORTED:
            heads.append(Head(words, means, css, "", ""))
            continue
        is_sorted = column == choices.column
        turned = Choices(choices.text, choices.check, column, is_sorted and not choices.turned, 0)
        rising = (column == "check" or ORDERS[column].least_first) != choices.turned
        order = ("ascending" if rising else "descending") if is_sorted else ""
        heads.append(Head(words, means, css, with_query(here, **turned.query()), order))
    return heads


def _choices(request: MemberRequest) -> Choices:
    sort, place = request.GET.get("sort", ""), parse_number(request.GET.get("place")) or 0
    column = sort.removeprefix("-")
    return Choices(
        text=request.GET.get("q", "").strip(),
        check=WITHOUT_CHECK if request.GET.get("check") == WITHOUT_CHECK else "",
        column=column if column in SORTED else WORST_FIRST,
        turned=column in SORTED and sort.startswith("-"),
        first=place // SHOWN * SHOWN,
    )


def _page(address: str, first: int) -> str:
    return with_query(address, place=str(first) if first else "")


def _tag(request: MemberRequest, scope: Scope, judges: Judges) -> str:
    return tag_of(request, scope, newest_event(request.project.pk), seen_of(judges))
