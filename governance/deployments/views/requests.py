"""Requests for a deployment: those that wait for a second person, one of them, and its end."""

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
from governance.deployments.queries.plans import plan_of
from governance.deployments.queries.requests import ended_requests, request_numbered
from governance.deployments.tables import REQUESTS
from governance.models import DeploymentRequest
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, is_requester, is_second_person, may
from governance.web.table_files import Tables, one_of_tables, page_after_page

ENDED = 50
MANY = 200  # rows of a file at once


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
    asked = _request(request, request_id)
    form = RefuseForm(request.POST)
    try:
        words = _decided(request, asked, form.data.get("reason", ""))
    except InvalidInput as error:
        form.take(error)
        return _page(request, asked, form, status=422)
    except (Conflict, Forbidden) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, words)
    asked = _request(request, request_id)
    if asked.deployment_id is not None:
        return redirect("governance:deployment", request.project.slug, asked.deployment_id)
    return redirect("governance:request", request.project.slug, asked.pk)


def _decided(request: MemberRequest, asked: DeploymentRequest, reason: str) -> str:
    match request.POST.get("decision", ""):
        case "approve":
            approve_request(asked, by=request.actor)
            return f"{asked.version} is live in {asked.environment.name}."
        case "refuse":
            refuse_request(asked, reason=reason, by=request.actor)
            return "It is refused; whoever asked sees your reason here."
        case "withdraw":
            withdraw_request(asked, by=request.actor)
            return "The request is withdrawn."
        case _:
            raise Conflict("Say whether to approve, to refuse or to withdraw it.")


def _page(
    request: MemberRequest, asked: DeploymentRequest, form: RefuseForm, *, status: int = 200
) -> HttpResponse:
    waits = asked.standing is RequestStatus.PENDING
    plan = plan_of(asked.version, asked.environment.name) if waits else None
    is_second = is_second_person(request.actor, asked)
    context = _line(asked) | {
        "page_title": f"{asked.version} to {asked.environment.name}",
        "waits": waits,
        "plan": plan,
        "changes": plan.changes if plan else (),
        "version": asked.version,
        "may_decide": waits and is_second and may(request.role, Action.DEPLOY),
        "is_mine": is_requester(request.actor, asked),
        "form": form,
    }
    return render(request, "deployments/request.html", context, status=status)


def _line(asked: DeploymentRequest) -> dict[str, Any]:
    return {
        "asked": asked,
        "standing": asked.standing_at(timezone.now()).value,
        "by": shown(asked.author),
        "decided_by": shown(asked.decided_by),
    }


def _request(request: MemberRequest, number: int) -> DeploymentRequest:
    found = request_numbered(request.project, number) if number < 2**63 else None
    if found is None:
        raise NotFound("There is no such request.")
    return found
