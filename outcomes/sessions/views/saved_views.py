"""Saved views of the session list: the menu, and the page that renames and removes them."""

from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from governance.core.errors import InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.table_files import one_of_tables
from outcomes.core.scope import NAMES
from outcomes.sessions.commands import saved_views as commands_saved_views
from outcomes.sessions.queries import list as session_list
from outcomes.sessions.tables import SAVED_VIEWS
from outcomes.web.paging import with_query

# URL parameters that a view saves; the position in the list is not one of them.
HELD: Final = (*NAMES, "q", "state", "contract", "version", "limit", "has", "sort")


@require_safe
@member_page()
def saved_views(request: MemberRequest) -> HttpResponseBase:
    context = _views(request) | {"page_title": "Saved views"}
    views = session_list.saved_views(request.project.pk, request.user.pk)
    file = one_of_tables(request, request.project, {"views": (SAVED_VIEWS, views)})
    return file or render(request, "sessions/saved_views.html", context)


@require_safe
@member_page()
def saved_view_choices(request: MemberRequest) -> HttpResponse:
    return render(request, "sessions/_saved_view_choices.html", _views(request))


@require_POST
@member_page(Action.SAVE_VIEW)
def save_view(request: MemberRequest) -> HttpResponse:
    query = _held(QueryDict(request.POST.get("query", "")))
    try:
        view = commands_saved_views.save_view(
            request.project.pk,
            request.POST.get("name", ""),
            query,
            shared=request.POST.get("shared") == "on",
            by=request.actor,
        )
    except InvalidInput as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"{view.name} saved.")
    return redirect(_list(request, query))


@require_POST
@member_page(Action.SAVE_VIEW)
def rename_view(request: MemberRequest, view_id: int) -> HttpResponse:
    name = request.POST.get("name", "")
    try:
        view = commands_saved_views.rename_view(request.project.pk, view_id, name, by=request.actor)
    except InvalidInput as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"View renamed to {view.name}.")
    return redirect("outcomes:saved_views", request.project.slug)


@require_POST
@member_page(Action.SAVE_VIEW)
def remove_view(request: MemberRequest, view_id: int) -> HttpResponse:
    commands_saved_views.remove_view(request.project.pk, view_id, by=request.actor)
    messages.success(request, "View removed.")
    return redirect("outcomes:saved_views", request.project.slug)


def _views(request: MemberRequest) -> dict[str, Any]:
    held, may_share = _held(request.GET), may(request.role, Action.SHARE_VIEW)
    views = session_list.saved_views(request.project.pk, request.user.pk)
    return {
        "held": held,
        "may_share": may_share,
        "views": [
            {
                "view": view,
                "url": _list(request, view.query),
                "current": view.query == held,
                "shared": view.owner_id is None,
                "may_change": view.owner_id is not None or may_share,
            }
            for view in views
        ],
    }


def _held(query: QueryDict) -> str:
    held = {name: query.get(name, "") for name in HELD}
    return with_query("", **held).removeprefix("?")


def _list(request: MemberRequest, query: str) -> str:
    address = reverse("outcomes:sessions", args=[request.project.slug])
    return f"{address}?{query}" if query else address
