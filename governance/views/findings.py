"""*Needs attention*: one list of what is open, below it what is over, and dismissing one."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from governance import commands, queries
from governance.auth import MemberRequest, member_page
from governance.domain.actor import shown
from governance.domain.errors import NotFound
from governance.models import Finding
from governance.policies import Action, may

OPEN_SHOWN = 200
RESOLVED_SHOWN = 50

# A kind that has no words here yet is shown by its own name.
WORDS: Mapping[str, str] = {
    "manage_key_used_by_agent": "An agent uses a manage key",
    "document_not_read": "An agent fetches its document and reports nothing",
    "lowered counter": "An agent tried to lower a protected counter",
    "agent_runs_foreign_bundle": "An agent runs a bundle it was not assigned",
    "agent_behind_contract": "An agent is behind on its contract",
    "agent_runs_unknown_contract": "An agent runs a contract that is not known here",
    "agent_has_not_taken_stop": "An agent has not taken its stop",
    "silent_failures": "Failures are judged success",
}


@require_safe
@member_page()
def attention(request: MemberRequest) -> HttpResponse:
    found = queries.open_findings(request.project, OPEN_SHOWN)
    total = len(found)
    if total == OPEN_SHOWN:
        total = queries.number_of_open_findings(request.project)
    context = {
        "page_title": "Needs attention",
        "open": [(each, kind_words(each)) for each in found],
        "total": total,
        "may_dismiss": may(request.role, Action.DISMISS_FINDING),
        "resolved": [
            (each, kind_words(each), shown(each.dismissed_by))
            for each in queries.resolved_findings(request.project, RESOLVED_SHOWN)
        ],
    }
    return render(request, "governance/attention.html", context)


@require_POST
@member_page(Action.DISMISS_FINDING)
def dismiss_finding(request: MemberRequest, finding_id: int) -> HttpResponse:
    found = queries.finding_numbered(request.project, finding_id) if finding_id < 2**63 else None
    if found is None:
        raise NotFound("There is no such finding.")
    dismissed = commands.dismiss(found, by=request.actor)
    opens_again = "is over and begins again" if dismissed.lasts else "happens again"
    messages.success(request, f"It is dismissed, and stands here anew if it {opens_again}.")
    return redirect("governance:attention", request.project.slug)


def kind_words(finding: Finding) -> str:
    return WORDS.get(finding.kind) or finding.kind.replace("_", " ").capitalize()
