"""Environments of a project and their requirements for deployments."""

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.core.errors import InvalidInput, NotFound
from governance.people.auth import MemberRequest, member_page
from governance.people.commands.requirements import require
from governance.people.forms import RequirementsForm
from governance.people.policies import Action, may
from governance.people.queries.projects import (
    environment_with,
    required_in,
    requirements_by_environment,
)
from governance.people.tables import ENVIRONMENTS
from governance.web.forms import sent
from governance.web.table_files import Tables, one_of_tables


@require_safe
@member_page()
def environments(request: MemberRequest) -> HttpResponseBase:
    requirements = requirements_by_environment(request.project)
    context = {
        "page_title": "Environments",
        "rows": list(requirements.items()),
        "requiring": sum(each.anything for each in requirements.values()),
        "may_set": may(request.role, Action.MANAGE_SETTINGS),
    }
    tables: Tables = {"environments": (ENVIRONMENTS, requirements.items())}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "people/environments.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_SETTINGS)
def requirements(request: MemberRequest, environment: str) -> HttpResponse:
    if environment_with(request.project, environment) is None:
        raise NotFound("Environment not found.")
    present = required_in(request.project, environment)
    form = RequirementsForm(sent(request), initial=RequirementsForm.of(present))
    if form.is_valid():
        try:
            require(request.project, env=environment, required=form.required(), by=request.actor)
        except InvalidInput as error:
            form.take(error)
        else:
            messages.success(request, f"Requirements for {environment} saved.")
            return redirect("governance:environments", request.project.slug)
    context = {"page_title": f"Requirements for {environment}", "form": form, "name": environment}
    status = 422 if form.errors else 200
    return render(request, "people/requirements.html", context, status=status)
