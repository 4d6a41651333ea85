"""Failure groups of a tool: a live part of its page with its own URL."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.figures.comparison import newest_event
from outcomes.figures.queries.groups import GroupFigures, GroupPlace, failure_groups
from outcomes.tools.tables import GROUPS
from outcomes.tools.words.group import words_of
from outcomes.web.addresses import tool_url
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of, tag_of


@require_safe
@member_page()
def tool_groups(request: MemberRequest) -> HttpResponseBase:
    scope, tool, project = scope_of(request), request.GET.get("of", ""), request.project
    file = table_file(
        request, project, "failure-groups", GROUPS, lambda: _every(project.pk, tool, scope)
    )
    if file is not None:
        return file
    if request.headers.get("HX-Request") != "true":
        context = _groups(request, tool, scope) | {"part": "tools/_tool_groups.html"}
        return render(request, "tools/tool_part.html", context)
    tag = tag_of(request, scope, newest_event(project.pk))
    if request.GET.get("tag") == tag:
        return HttpResponse(status=204)
    # Rendered without the request, so that polls don't run the page frame's queries.
    context = _groups(request, tool, scope, tag) | {"project": project, "scope": scope}
    return HttpResponse(render_to_string("tools/_tool_groups.html", context))


def _groups(request: MemberRequest, tool: str, scope: Scope, tag: str = "") -> dict[str, Any]:
    slug = request.project.slug
    page = failure_groups(request.project.pk, scope, tool=tool)
    here = with_query(reverse("outcomes:tool_groups", args=[slug]), of=tool, **scope.query())
    return {
        "page_title": tool,
        "name": tool,
        "what": "similar failures",
        "tool_at": tool_url(slug, tool, **scope.query()),
        "groups": [(each, words_of(each)) for each in page.groups],
        "groups_of": page.number,
        "failures": page.calls,
        "differs_url": _differs_url(slug, tool, scope),
        "carried": f"?{urlencode(scope.query())}",
        "live_url": with_query(here, tag=tag) if tag else "",
    }


def _differs_url(slug: str, tool: str, scope: Scope) -> str:
    """URL of the tool's failures, compared with its other calls."""
    calls = reverse("outcomes:calls", args=[slug])
    failures = with_query(calls, tool=tool, show="failures", **scope.query())
    return with_query(failures, differs="1") + "#differs"


def _every(project_id: int, tool: str, scope: Scope) -> Iterator[GroupFigures]:
    after: GroupPlace | None = None
    while True:
        page = failure_groups(project_id, scope, tool=tool, after=after)
        yield from page.groups
        if (after := page.next) is None:
            return
