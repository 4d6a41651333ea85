"""Deciding an approval, and opening its arguments: both are posts, and both are audited."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from governance.approvals import commands as approvals_commands
from governance.approvals.commands import decide
from governance.approvals.domain import shown_arguments
from governance.approvals.queries import approval_coded
from governance.core.approval_status import Status
from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.models import Approval
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action

DECISIONS = {"approve": True, "reject": False}


@require_POST
@member_page(Action.DECIDE_APPROVAL)
def decide_approval(request: MemberRequest, code: str) -> HttpResponse:
    approval = _approval(request, code)
    approve = DECISIONS.get(request.POST.get("decision", ""))
    try:
        if approve is None:
            raise InvalidInput("Say whether to approve or to reject it.")
        decide(approval, approve=approve, reason=request.POST.get("reason", ""), by=request.actor)
    except (Conflict, InvalidInput) as error:
        messages.error(request, f"{_named(approval)}: {error}")
    else:
        done = "approved" if approve else "rejected"
        messages.success(request, f"{_named(approval)} is {done}; the agent asks every 2 s.")
    return redirect(_back(request))


@require_POST
@never_cache  # the answer holds what is masked elsewhere
@member_page(Action.DECIDE_APPROVAL)
def open_arguments(request: MemberRequest, code: str) -> HttpResponse:
    approval = _approval(request, code)
    arguments = approvals_commands.open_arguments(approval, by=request.actor)
    context = {
        "page_title": f"Arguments of {approval.tool_name}",
        "approval": approval,
        "waits": approval.standing is Status.PENDING,
        "arguments": shown_arguments(arguments, opened=True),
        "back": _back(request),
    }
    return render(request, "approvals/opened_arguments.html", context)


def _approval(request: MemberRequest, code: str) -> Approval:
    approval = approval_coded(request.project.pk, code)
    if approval is None:
        raise NotFound("There is no such approval.")
    return approval


def _named(approval: Approval) -> str:
    return f"{approval.tool_name[:80]} of {approval.agent_id}"


def _back(request: MemberRequest) -> str:
    """To the page that it was done on, if that is one of this project."""
    back = request.POST.get("back", "")
    ours = f"/p/{request.project.slug}/"
    if back.startswith(ours) and url_has_allowed_host_and_scheme(back, None):
        return back
    return reverse("outcomes:approvals", args=[request.project.slug])
