"""Pages for projects: the list of one's own, a new project, and its settings."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.core.errors import Conflict, InvalidInput
from governance.core.roles import Role
from governance.models import User
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries import people
from governance.people.queries.keys import live_keys
from governance.people.queries.people import (
    is_admin_somewhere,
    memberships_of_request,
)
from governance.projects.commands import create_project, rename_project
from governance.projects.forms import ProjectForm
from governance.web.forms import sent


@require_safe
@login_required
def projects(request: HttpRequest) -> HttpResponse:
    members = memberships_of_request(_user(request))
    context = {
        "page_title": "Your projects",
        "members": members,
        "may_create": any(member.role == Role.ADMIN for member in members),
    }
    return render(request, "projects/projects.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def new_project(request: HttpRequest) -> HttpResponse:
    user = _user(request)
    context = {"page_title": "New project", "may_create": is_admin_somewhere(user)}
    if not context["may_create"]:
        return render(request, "projects/new_project.html", context, status=403)
    form = ProjectForm(sent(request))
    if form.is_valid():
        try:
            project = create_project(**form.cleaned_data, user=user)
        except (Conflict, InvalidInput) as error:
            form.take(error)
        else:
            messages.success(request, f"{project.name} created. Create its first key.")
            return redirect("governance:keys", project.slug)
    status = 422 if form.errors else 200
    return render(request, "projects/new_project.html", context | {"form": form}, status=status)


@require_safe
@member_page()
def settings(request: MemberRequest) -> HttpResponse:
    project = request.project
    context = {
        "page_title": "Settings",
        "keys": live_keys(project),
        "members": people.members(project),
        "form": ProjectForm(initial={"name": project.name})
        if may(request.role, Action.MANAGE_SETTINGS)
        else None,
    }
    return render(request, "projects/settings.html", context)


@require_http_methods(["POST"])
@member_page(Action.MANAGE_SETTINGS)
def rename(request: MemberRequest) -> HttpResponse:
    form = ProjectForm(request.POST)
    if form.is_valid():
        try:
            rename_project(request.project, **form.cleaned_data, by=request.actor)
        except InvalidInput as error:
            form.take(error)
        else:
            messages.success(request, "Project renamed.")
            return redirect("governance:settings", request.project.slug)
    context = {"page_title": "Rename project", "form": form}
    return render(request, "projects/rename.html", context, status=422)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101  # ensured by login_required
    return request.user
