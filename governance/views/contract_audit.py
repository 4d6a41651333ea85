"""Who did what to a contract: the entries of the audit log that are about it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance import queries
from governance.auth import MemberRequest, member_page
from governance.domain.errors import NotFound
from governance.models import Bundle
from governance.views.audit import PAGE, number_before
from governance.views.contract_tabs import AUDIT, shown_tabs


@require_safe
@member_page()
def contract_audit(request: MemberRequest, bundle_name: str) -> HttpResponse:
    bundle = queries.bundle_named(request.project, bundle_name)
    if bundle is None:
        raise NotFound("There is no such contract.")
    before = number_before(request)
    entries = queries.audit_entries_about(bundle, before=before, limit=PAGE + 1)
    shown = entries[:PAGE]
    context = {
        "page_title": f"Audit of {bundle.name}",
        "bundle": bundle,
        "tabs": shown_tabs(request, bundle.name, AUDIT),
        "entries": shown,
        "newest": shown[0] if shown and before is None else None,
        "words": f"{len(shown)} entries, newest first",
        "newer": _newer(bundle, shown[0].number) if shown and before is not None else "",
        "older": f"?before={shown[-1].number}" if len(entries) > PAGE else "",
    }
    return render(request, "governance/contract_audit.html", context)


def _newer(bundle: Bundle, number: int) -> str:
    """Back up by a page; the first one has no number."""
    above = queries.audit_number_above(bundle, number, PAGE)
    return "." if above is None else f"?before={above}"
