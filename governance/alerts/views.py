"""*Needs attention*: one list of what is open, below it what is over, and dismissing one."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from governance.alerts.commands import dismiss
from governance.alerts.domain import kind_words
from governance.alerts.queries import (
    finding_numbered,
    number_of_open_findings,
    open_findings,
    resolved_findings,
)
from governance.core.actor import shown
from governance.core.errors import NotFound
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may

OPEN_SHOWN = 200
RESOLVED_SHOWN = 50


@require_safe
@member_page()
def attention(request: MemberRequest) -> HttpResponse:
    found = open_findings(request.project, OPEN_SHOWN)
    total = len(found)
    if total == OPEN_SHOWN:
        total = number_of_open_findings(request.project)
    context = {
        "page_title": "Needs attention",
        "open": [(each, kind_words(each.kind)) for each in found],
        "total": total,
        "may_dismiss": may(request.role, Action.DISMISS_FINDING),
        "resolved": [
            (each, kind_words(each.kind), shown(each.dismissed_by))
            for each in resolved_findings(request.project, RESOLVED_SHOWN)
        ],
    }
    return render(request, "alerts/attention.html", context)


@require_POST
@member_page(Action.DISMISS_FINDING)
def dismiss_finding(request: MemberRequest, finding_id: int) -> HttpResponse:
    found = finding_numbered(request.project, finding_id) if finding_id < 2**63 else None
    if found is None:
        raise NotFound("There is no such finding.")
    dismissed = dismiss(found, by=request.actor)
    opens_again = "is over and begins again" if dismissed.lasts else "happens again"
    messages.success(request, f"It is dismissed, and stands here anew if it {opens_again}.")
    return redirect("governance:attention", request.project.slug)
