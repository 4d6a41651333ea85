"""Pages of assignments: which contract an agent gets if it doesn't name one."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.contracts.queries.bundles import bundle_names
from governance.core.errors import GovernanceError, NotFound
from governance.core.numbers import ID_DIGITS, parse_number
from governance.delivery.commands import assignments as commands
from governance.delivery.forms import AssignmentForm, tags_text
from governance.delivery.queries.assignments import assignment_numbered, assignments_before
from governance.delivery.tables import ASSIGNMENTS
from governance.models import Assignment
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may_somewhere
from governance.people.queries.projects import environments
from governance.web.forms import sent
from governance.web.table_files import page_after_page, table_file

SHOWN = 100


@require_safe
@member_page()
def assignments(request: MemberRequest) -> HttpResponseBase:
    bundle = request.GET.get("bundle", "")
    file = table_file(
        request,
        request.project,
        "assignments",
        ASSIGNMENTS,
        lambda: page_after_page(
            lambda last: assignments_before(
                request.project, last.pk if last else None, SHOWN, bundle=bundle
            ),
            SHOWN,
        ),
    )
    if file is not None:
        return file
    before = parse_number(request.GET.get("before"), ID_DIGITS)
    rows = assignments_before(request.project, before, SHOWN + 1, bundle=bundle)
    context = {
        "page_title": "Assignments",
        "bundle": bundle,
        "rows": rows[:SHOWN],
        "older": rows[SHOWN - 1].pk if len(rows) > SHOWN else None,
        "is_paged": before is not None,
        "may_assign": may_somewhere(request.actor, Action.ASSIGN),
    }
    return render(request, "delivery/assignments.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.ASSIGN)
def new_assignment(request: MemberRequest) -> HttpResponse:
    return _edit(request, None, {"bundle_name": request.GET.get("bundle", "")})


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.ASSIGN)
def assignment(request: MemberRequest, assignment_id: int) -> HttpResponse:
    row = _assignment(request, assignment_id)
    initial = {
        "bundle_name": row.bundle.name,
        "environment": row.environment.name,
        "agent_id": row.agent,
        "tags": tags_text(row.tags),
        "priority": row.priority,
    }
    return _edit(request, row, initial)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.ASSIGN)
def delete_assignment(request: MemberRequest, assignment_id: int) -> HttpResponse:
    row = _assignment(request, assignment_id)
    if request.method == "POST":
        try:
            commands.end_assignment(row, by=request.actor)
        except GovernanceError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, "Assignment deleted.")
        return redirect("governance:assignments", request.project.slug)
    context = {"page_title": "Delete assignment", "assignment": row}
    return render(request, "delivery/delete_assignment.html", context)


def _edit(request: MemberRequest, row: Assignment | None, initial: dict[str, Any]) -> HttpResponse:
    bundles = bundle_names(request.project)
    form = AssignmentForm(sent(request), bundles, initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            commands.change_assignment(
                row,
                request.project,
                bundle_name=data["bundle_name"],
                env=data["environment"],
                agent=data["agent_id"],
                tags=data["tags"],
                priority=data["priority"],
                by=request.actor,
            )
        except GovernanceError as error:
            form.take(error)
        else:
            messages.success(request, "Assignment saved. Connected agents get it now.")
            return redirect("governance:assignments", request.project.slug)
    context = {
        "page_title": "Edit assignment" if row else "New assignment",
        "form": form,
        "assignment": row,
        "bundles": bundles,
        "places": environments(request.project),
    }
    status = 422 if form.errors else 200
    return render(request, "delivery/edit_assignment.html", context, status=status)


def _assignment(request: MemberRequest, number: int) -> Assignment:
    row = assignment_numbered(request.project, number) if number < 2**63 else None
    if row is None or row.ended_at is not None:
        raise NotFound("Assignment not found.")
    return row
