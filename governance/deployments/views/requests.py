"""Pages of deployment requests: the list, one request, and the decision."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from governance.contracts.queries.requests import waiting_requests
from governance.core.actor import shown
from governance.core.deployment_requests import RequestStatus
from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.deployments.commands.requests import (
    approve_request,
    refuse_request,
    withdraw_request,
)
from governance.deployments.forms import RefuseForm
from governance.deployments.queries import ended_requests, plan_of, request_numbered
from governance.deployments.tables import REQUESTS
from governance.models import DeploymentRequest
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, is_requester, is_second_person, may
from governance.web.table_files import Tables, one_of_tables, page_after_page

ENDED = 50
MANY = 200  # rows of a file per query


@require_safe
@member_page()
def requests(request: MemberRequest) -> HttpResponseBase:
    context: dict[str, Any] = {
        "page_title": "Deployment requests",
        "waiting": [_line(each) for each in waiting_requests(request.project)],
        "ended": [_line(each) for each in ended_requests(request.project, None, ENDED)],
    }
    all_ended = page_after_page(
        lambda last: ended_requests(request.project, last.pk if last else None, MANY), MANY
    )
    tables: Tables = {
        "waiting-requests": (REQUESTS, context["waiting"]),
        "ended-requests": (REQUESTS, map(_line, all_ended)),
    }
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "deployments/requests.html", context)


@require_safe
@member_page()
def deployment_request(request: MemberRequest, request_id: int) -> HttpResponse:
    return _page(request, _request(request, request_id), RefuseForm())


@require_POST
@member_page(Action.DEPLOY)
def decide_request(request: MemberRequest, request_id: int) -> HttpResponse:
    row = _request(request, request_id)
    form = RefuseForm(request.POST)
    try:
        words = _decided(request, row, form.data.get("reason", ""))
    except InvalidInput as error:
        form.take(error)
        return _page(request, row, form, status=422)
    except (Conflict, Forbidden) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, words)
    row = _request(request, request_id)
    if row.deployment_id is not None:
        return redirect("governance:deployment", request.project.slug, row.deployment_id)
    return redirect("governance:request", request.project.slug, row.pk)


def _decided(request: MemberRequest, row: DeploymentRequest, reason: str) -> str:
    match request.POST.get("decision", ""):
        case "approve":
            approve_request(row, by=request.actor)
            return f"{row.version} is deployed to {row.environment.name}."
        case "refuse":
            refuse_request(row, reason=reason, by=request.actor)
            return "Request rejected."
        case "withdraw":
            withdraw_request(row, by=request.actor)
            return "Request withdrawn."
        case _:
            raise Conflict("Choose approve, reject or withdraw.")


def _page(
    request: MemberRequest, row: DeploymentRequest, form: RefuseForm, *, status: int = 200
) -> HttpResponse:
    waits = row.current_status is RequestStatus.PENDING
    plan = plan_of(row.version, row.environment.name) if waits else None
    is_second = is_second_person(request.actor, row)
    context = _line(row) | {
        "page_title": f"{row.version} to {row.environment.name}",
        "waits": waits,
        "plan": plan,
        "changes": plan.changes if plan else (),
        "version": row.version,
        "may_decide": waits
        and is_second
        and may(request.actor, Action.DEPLOY, row.environment.name),
        "is_mine": is_requester(request.actor, row),
        "form": form,
    }
    return render(request, "deployments/request.html", context, status=status)


def _line(row: DeploymentRequest) -> dict[str, Any]:
    return {
        "asked": row,
        "standing": row.status_as_of(timezone.now()).value,
        "by": shown(row.author),
        "decided_by": shown(row.decided_by),
    }


def _request(request: MemberRequest, number: int) -> DeploymentRequest:
    row = request_numbered(request.project, number) if number < 2**63 else None
    if row is None:
        raise NotFound("Request not found.")
    return row
