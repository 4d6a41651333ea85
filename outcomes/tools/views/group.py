"""The calls of one group: those that failed alike, or were denied alike."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.calls.views.rows import call_lines
from outcomes.core.groups import DENIED
from outcomes.figures.queries.groups import group_calls, group_told
from outcomes.record.selecting import PLACE_BY_TIME
from outcomes.tools.words.group import words_of
from outcomes.web.addresses import tool_url
from outcomes.web.call_columns import CALLS
from outcomes.web.paging import every, files_of, links_of, start_of, with_query
from outcomes.web.scope import scope_of
from outcomes.web.sentences import counted


@require_safe
@member_page()
def group(request: MemberRequest, group_key: str) -> HttpResponseBase:
    scope, project = scope_of(request), request.project.pk
    told = group_told(project, group_key)
    if told is None:
        raise NotFound("There is no such group.")
    file = table_file(
        request,
        request.project,
        "calls-of-a-group",
        CALLS,
        lambda: every(
            lambda before: group_calls(project, scope, group_key, before=before), PLACE_BY_TIME
        ),
    )
    if file is not None:
        return file
    start = start_of(request.GET, PLACE_BY_TIME)
    page = group_calls(project, scope, group_key, before=start.before, after=start.after)
    slug = request.project.slug
    here = with_query(reverse("outcomes:group", args=[slug, group_key]), **scope.query())
    is_denied = told.of == DENIED
    context = {
        "session": None,  # each row asks for it
        "page_title": f"{told.tool}: {'denied' if is_denied else 'failed'} alike",
        "group": told,
        "is_denied": is_denied,
        "words": words_of(told),
        "how_many": _how_many(len(page.rows), is_all=start.is_newest and not page.older),
        "lines": call_lines(page.rows, timezone.now()),
        "shown": f"{counted(len(page.rows), 'call')}, newest first",
        "links": links_of(page, PLACE_BY_TIME, here),
        "files": files_of(here),
        "is_narrowed": True,
        "tool_at": tool_url(slug, told.tool, **scope.query()),
    }
    return render(request, "tools/group.html", context)


def _how_many(number: int, *, is_all: bool) -> str:
    """Of a group with more pages only this one is counted."""
    if not is_all:
        return f"More than {number:,} calls"
    return "No call" if not number else "One call" if number == 1 else f"{number:,} calls"
