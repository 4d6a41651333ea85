"""The tools that agents called: how sure each is, beside the time before, the worst first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from governance.checks.queries import selection
from governance.checks.queries.selection import Judges
from governance.core.numbers import whole_number
from governance.people.auth import MemberRequest, beside, member_page
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.figures.charts import row_spark
from outcomes.figures.comparison import newest_event
from outcomes.figures.domain.standouts import Fall, Judged, falls
from outcomes.suggestions.queries import looking_like_failures
from outcomes.tools.domain.tools import ORDERS, WORST_FIRST, Compared, Order, in_order
from outcomes.tools.queries.list import tools_in
from outcomes.tools.tables import TOOLS
from outcomes.tools.views.checks import JudgedBy, judges_of, seen_of
from outcomes.tools.words.tool import tools_sentence
from outcomes.web.addresses import tool_url
from outcomes.web.paging import files_of, with_query
from outcomes.web.scope import scope_of, tag_of

SHOWN: Final = 100
WITHOUT_CHECK: Final = "none"  # tools that nobody gave a check

SORTED: Final = (*ORDERS, "check")

# What a column is headed by, what that means, and where it is left out.
HEADS: Final = {
    "tool": ("Tool", "", ""),
    "success": ("Success", "Sorted by the upper end of its 95 % interval", "num"),
    "change": ("Change", "In points, since the time before", "num"),
    "trend": ("Trend", "", "num from-1500"),
    "calls": ("Calls", "All of them, denied and open ones included", "num"),
    "ran_and_failed": ("Ran, failed", "It ran, and its verdict is failure", "num"),
    "disagreements": ("Disagree", "Agent and check say different things", "num not-middle"),
    "denied": ("Denied", "", "num"),
    "p50": ("p50", "Half of the calls took at most this long", "num not-middle"),
    "p95": ("p95", "95 of 100 calls took at most this long", "num"),
    "p99": ("p99", "99 of 100 calls took at most this long", "num from-1500"),
    "check": ("Check", "Which one judges its calls", "not-middle"),
}


@dataclass(frozen=True, slots=True)
class ToolLine:
    name: str
    row: Compared
    trend: SafeString
    judges: list[JudgedBy]
    is_news: bool  # it fell
    like_failures: int  # results judged success that look like failures
    url: str
    calls_url: str


class Head(NamedTuple):
    words: str
    means: str
    css: str
    url: str
    sorted: str  # as aria-sort says it


@dataclass(frozen=True, slots=True)
class Asked:
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
    scope, asked = scope_of(request), _asked(request)
    file = table_file(
        request, request.project, "tools", TOOLS, lambda: _chosen(request, scope, asked)
    )
    if file is not None:
        return file
    judges = selection.judges(request.project.pk)
    context = _tools(request, scope, asked, judges) | {"page_title": "Tools"}
    return render(request, "tools/tools.html", context)


@require_safe
@member_page()
def tools_standing(request: MemberRequest) -> HttpResponse:
    """The table alone, as long as something has changed; asked for every second."""
    scope, asked = scope_of(request), _asked(request)
    judges = selection.judges(request.project.pk)
    if request.GET.get("tag") == _tag(request, scope, judges):
        return HttpResponse(status=204)
    context = _tools(request, scope, asked, judges) | {"alone": True}
    return render(request, "tools/_tools.html", context)


def _tools(request: MemberRequest, scope: Scope, asked: Asked, judges: Judges) -> dict[str, Any]:
    tag = _tag(request, scope, judges)
    tools = tools_in(request.project.pk, scope)
    rows = tools.rows
    judged = _judged_by(request, scope, rows, judges)
    own = _without_check(rows, judged)
    chosen = _ordered(own if asked.check else rows, asked, judged)
    first = asked.first if asked.first < len(chosen) else 0
    shown = chosen[first : first + SHOWN]
    fallen = _falls(rows)
    slug = request.project.slug
    here = with_query(reverse("outcomes:tools", args=[slug]), **scope.query())
    narrowed = with_query(here, **asked.query())
    live = reverse("outcomes:tools_standing", args=[slug])
    return {
        "sentence": tools_sentence(rows, fallen, scope),
        "lines": _lines(request, scope, shown, tools.rates, judged, fallen),
        "heads": _heads(here, asked),
        "text": asked.text,
        "check": asked.check,
        "sort": asked.sort,
        "choices": [
            ("All", len(rows), with_query(here, q=asked.text, sort=asked.sort), not asked.check),
            (
                "No check of its own",
                len(own),
                with_query(here, q=asked.text, sort=asked.sort, check=WITHOUT_CHECK),
                bool(asked.check),
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
        "files": files_of(narrowed),
        "previous": _page(narrowed, first - SHOWN) if first else "",
        "next": _page(narrowed, first + SHOWN) if first + SHOWN < len(chosen) else "",
        "live_url": _page(with_query(live, **scope.query() | asked.query(), tag=tag), first),
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
    like_failures = looking_like_failures(request.project.pk)
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
            like_failures=like_failures.get(row.name, 0),
            url=tool_url(slug, row.name, **scope.query()),
            calls_url=with_query(calls, tool=row.name),
        )
        for row in shown
    ]


def _chosen(request: MemberRequest, scope: Scope, asked: Asked) -> list[tuple[Compared, str]]:
    """All that is asked for, each with the check that judges it."""
    rows = tools_in(request.project.pk, scope).rows
    judged = _judged_by(request, scope, rows, selection.judges(request.project.pk))
    chosen = _ordered(_without_check(rows, judged) if asked.check else rows, asked, judged)
    return [(row, ", ".join(each.check for each in judged[row.name])) for row in chosen]


def _ordered(
    rows: list[Compared], asked: Asked, judged: Mapping[str, list[JudgedBy]]
) -> list[Compared]:
    fitting = [row for row in rows if asked.text.lower() in row.name.lower()]
    by_check = Order(lambda row: [each.check for each in judged[row.name]], least_first=True)
    return in_order(fitting, ORDERS.get(asked.column, by_check), turned=asked.turned)


def _judged_by(
    request: MemberRequest, scope: Scope, rows: list[Compared], judges: Judges
) -> dict[str, list[JudgedBy]]:
    environments = list(beside(request, request.project).waiting)
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


def _heads(here: str, asked: Asked) -> list[Head]:
    found = []
    for column, (words, means, css) in HEADS.items():
        if column not in SORTED:
            found.append(Head(words, means, css, "", ""))
            continue
        is_sorted = column == asked.column
        turned = Asked(asked.text, asked.check, column, is_sorted and not asked.turned, 0)
        rising = (column == "check" or ORDERS[column].least_first) != asked.turned
        order = ("ascending" if rising else "descending") if is_sorted else ""
        found.append(Head(words, means, css, with_query(here, **turned.query()), order))
    return found


def _asked(request: MemberRequest) -> Asked:
    sort, place = request.GET.get("sort", ""), whole_number(request.GET.get("place")) or 0
    column = sort.removeprefix("-")
    return Asked(
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
