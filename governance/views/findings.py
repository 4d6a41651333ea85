"""*Needs attention*: one list of what is open, and below it what is over."""

from collections.abc import Mapping

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance import queries
from governance.auth import MemberRequest, member_page
from governance.models import Finding

OPEN_SHOWN = 200
RESOLVED_SHOWN = 50

# A kind that has no words here yet is shown by its own name.
WORDS: Mapping[str, str] = {
    "manage_key_used_by_agent": "An agent uses a manage key",
    "document_not_read": "An agent fetches its document and reports nothing",
    "lowered counter": "An agent tried to lower a protected counter",
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
        "resolved": [
            (each, kind_words(each))
            for each in queries.resolved_findings(request.project, RESOLVED_SHOWN)
        ],
    }
    return render(request, "governance/attention.html", context)


def kind_words(finding: Finding) -> str:
    return WORDS.get(finding.kind) or finding.kind.replace("_", " ").capitalize()
