"""Pages of principals: failed and denied calls by principal and tool."""

from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.principals.queries import (
    IN_MENU,
    Sums,
    SumsByName,
    by_principal,
    by_tool,
    principal_named,
)
from outcomes.principals.tables import PRINCIPALS, TOOLS
from outcomes.principals.words import bound_words, principal_sentence, principals_sentence
from outcomes.search.domain.language import written
from outcomes.search.queries.progress import progress_of
from outcomes.search.words import progress_words
from outcomes.web.addresses import principal_url
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of

IN_MENU_SHOWN = 8


class Line(NamedTuple):
    row: Sums
    url: str  # of the principal or the tool
    calls_url: str
    failures_url: str
    denied_url: str


@require_safe
@member_page()
def principals(request: MemberRequest) -> HttpResponseBase:
    scope, slug = scope_of(request), request.project.slug
    sums = by_principal(request.project.pk, scope)
    file = table_file(request, request.project, "principals", PRINCIPALS, lambda: sums.rows)
    lines = [
        _line(request, scope, row, principal_url(slug, row.name, **scope.query()), row.name)
        for row in sums.rows
    ]
    context = _context(request, sums, lines) | {
        "page_title": "Principals",
        "sentence": principals_sentence(sums),
    }
    return file or render(request, "principals/principals.html", context)


@require_safe
@member_page()
def principal(request: MemberRequest, principal_name: str) -> HttpResponseBase:
    scope = scope_of(request)
    row = principal_named(request.project.pk, request.GET.get("id") or principal_name)
    if row is None:
        raise Http404
    sums = by_tool(row, scope)
    file = table_file(request, request.project, "tools", TOOLS, lambda: sums.rows)
    lines = [_line(request, scope, each, "", row.name, each.name) for each in sums.rows]
    context = _context(request, sums, lines) | {
        "page_title": row.name,
        "principal": row,
        "sentence": principal_sentence(row.name, sums),
        "calls_url": _calls(request, scope, written("principal", row.name)),
    }
    return file or render(request, "principals/principal.html", context)


@require_safe
@member_page()
def principal_options(request: MemberRequest) -> HttpResponse:
    """Principals of the newest calls, as filter options for the list of calls."""
    scope = scope_of(request, is_list=True)
    sums = by_principal(request.project.pk, scope, IN_MENU)
    by_calls = sorted(sums.rows, key=lambda row: (-row.calls, row.name))[:IN_MENU_SHOWN]
    choices = [(row, _calls(request, scope, written("principal", row.name))) for row in by_calls]
    return render(request, "principals/_options.html", {"choices": choices, "of": IN_MENU})


def _context(request: MemberRequest, sums: SumsByName, lines: list[Line]) -> dict[str, object]:
    return {
        "lines": lines,
        "sums": sums,
        "bound": bound_words(sums),
        "behind": progress_words(progress_of(request.project.pk)),
    }


def _line(
    request: MemberRequest, scope: Scope, row: Sums, url: str, name: str, tool: str = ""
) -> Line:
    query = written("principal", name) + (f" {written('tool', tool)}" if tool else "")
    calls = _calls(request, scope, query)
    return Line(
        row,
        url,
        calls,
        with_query(calls, show="failures"),
        with_query(calls, show="denied"),
    )


def _calls(request: MemberRequest, scope: Scope, query: str) -> str:
    address = reverse("outcomes:calls", args=[request.project.slug])
    return with_query(address, q=query, **scope.query())
