"""Decide approvals, undo a decision, open arguments: POST requests, all of them audited."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from governance.approvals import commands as approvals_commands
from governance.approvals.commands import decide, undo
from governance.approvals.domain import shown_arguments
from governance.approvals.queries import approval_coded
from governance.approvals.words import DONE, subject, title_html
from governance.core.approval_status import Status
from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.models import Approval
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action

DECISIONS = {"approve": True, "reject": False}
MOST_AT_ONCE = 100


@require_POST
@member_page(Action.DECIDE_APPROVAL)
def decide_approval(request: MemberRequest, code: str) -> HttpResponse:
    approval = _approval(request, code)
    approve = DECISIONS.get(request.POST.get("decision", ""))
    reason = request.POST.get("reason", "")
    try:
        if approve is None:
            raise InvalidInput("Choose Approve or Reject.")
        decided = decide(approval, approve=approve, reason=reason, by=request.actor, with_undo=True)
    except (Conflict, InvalidInput) as error:
        messages.error(request, f"{subject(approval)}: {error}")
    else:
        if decided.delivered:  # otherwise the list confirms it, with an undo button
            again = f"{decided.agent_id} gets the answer within 2 s."
            messages.success(request, f"{DONE[approve]}: {subject(decided)}. {again}")
    return redirect(_back(request))


@require_POST
@member_page(Action.DECIDE_APPROVAL)
def decide_approvals(request: MemberRequest) -> HttpResponse:
    """Decide the selected approvals, each one independently."""
    approve = DECISIONS.get(request.POST.get("decision", ""))
    codes = request.POST.getlist("code")[:MOST_AT_ONCE]
    if approve is None or not codes:
        messages.error(request, "Select approvals, then choose Approve or Reject.")
        return redirect(_back(request))
    done, reason = 0, request.POST.get("reason", "")
    for code in codes:
        approval = _approval(request, code)
        try:
            decide(approval, approve=approve, reason=reason, by=request.actor, with_undo=True)
        except (Conflict, Forbidden, InvalidInput) as error:
            messages.error(request, f"{subject(approval)}: {error}")
        else:
            done += 1
    if done:
        messages.success(request, f"{DONE[approve]} {done} of {len(codes)}.")
    return redirect(_back(request))


@require_POST
@member_page(Action.DECIDE_APPROVAL)
def undo_decision(request: MemberRequest, code: str) -> HttpResponse:
    approval = _approval(request, code)
    try:
        undo(approval, by=request.actor)
    except Conflict as error:
        messages.error(request, f"{subject(approval)}: {error}")
    else:
        messages.success(request, f"Undone: {subject(approval)} is pending again.")
    return redirect(_back(request))


@require_POST
@never_cache  # the response contains values that are masked elsewhere
@member_page(Action.DECIDE_APPROVAL)
def open_arguments(request: MemberRequest, code: str) -> HttpResponse:
    approval = _approval(request, code)
    arguments = approvals_commands.open_arguments(approval, by=request.actor)
    context = {
        "page_title": f"Arguments of {approval.tool_name}",
        "approval": approval,
        "title": title_html(approval),
        "waits": approval.current_status is Status.PENDING,
        "arguments": shown_arguments(arguments, opened=True),
        "back": _back(request),
    }
    return render(request, "approvals/opened_arguments.html", context)


def _approval(request: MemberRequest, code: str) -> Approval:
    approval = approval_coded(request.project.pk, code)
    if approval is None:
        raise NotFound("Approval not found.")
    return approval


def _back(request: MemberRequest) -> str:
    """Page that the form was on if it belongs to this project, else the list of approvals."""
    back = request.POST.get("back", "")
    ours = f"/p/{request.project.slug}/"
    if back.startswith(ours) and url_has_allowed_host_and_scheme(back, None):
        return back
    return reverse("outcomes:approvals", args=[request.project.slug])
