"""Calls of one group of similar failures or denials."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.core.figures import counted
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.calls.views.rows import call_lines
from outcomes.core.groups import DENIED
from outcomes.figures.queries.groups import group_calls, group_identity
from outcomes.stored.queries import PLACE_BY_TIME
from outcomes.tools.words.group import words_of
from outcomes.web.addresses import tool_url
from outcomes.web.paging import every, links_of, start_of, with_query
from outcomes.web.scope import scope_of
from outcomes.web.tables import CALLS


@require_safe
@member_page()
def group(request: MemberRequest, group_key: str) -> HttpResponseBase:
    scope, project = scope_of(request), request.project.pk
    identity = group_identity(project, group_key)
    if identity is None:
        raise NotFound("Group not found.")
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
    is_denied = identity.of == DENIED
    context = {
        "session": None,  # the template of each row expects it
        "page_title": f"{identity.tool}: similar {'denials' if is_denied else 'failures'}",
        "group": identity,
        "is_denied": is_denied,
        "words": words_of(identity),
        "how_many": _how_many(len(page.rows), is_all=start.is_newest and not page.older),
        "lines": call_lines(page.rows, timezone.now()),
        "shown": f"{counted(len(page.rows), 'call')}, newest first",
        "links": links_of(page, PLACE_BY_TIME, here),
        "is_narrowed": True,
        "tool_at": tool_url(slug, identity.tool, **scope.query()),
    }
    return render(request, "tools/group.html", context)


def _how_many(number: int, *, is_all: bool) -> str:
    """Number of calls; if a group has several pages, only the first is counted."""
    if not is_all:
        return f"more than {counted(number, 'call')}"
    return counted(number, "call")
