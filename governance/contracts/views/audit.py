"""Audit log of a contract or a check."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.audit.queries import audit_entries_about, audit_number_above
from governance.audit.tables import AUDIT_LOG
from governance.audit.views.log import MANY, PAGE, lines_for, number_before
from governance.audit.views.verification import with_signed_head
from governance.contracts.queries.contracts import existing_bundle
from governance.contracts.views.tabs import AUDIT, shown_tabs
from governance.models import Bundle, Check
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import page_after_page, table_file


@require_safe
@member_page()
def contract_audit(request: MemberRequest, bundle_name: str) -> HttpResponseBase:
    bundle = existing_bundle(request.project, bundle_name)
    if (file := file_about(request, bundle)) is not None:
        return file
    context = entries_about(request, bundle) | {
        "page_title": f"Audit of {bundle.name}",
        "bundle": bundle,
        "tabs": shown_tabs(request, bundle.name, AUDIT),
    }
    return render(request, "contracts/contract_audit.html", context)


def file_about(request: MemberRequest, of: Bundle | Check) -> HttpResponseBase | None:
    rows = page_after_page(
        lambda last: audit_entries_about(of, before=last.number if last else None, limit=MANY),
        MANY,
    )
    file = table_file(request, request.project, f"audit-of-{of.name}", AUDIT_LOG, lambda: rows)
    return with_signed_head(file, request.project) if file else None


def entries_about(request: MemberRequest, of: Bundle | Check) -> dict[str, Any]:
    """Context for a page of audit entries about a contract or a check."""
    before = number_before(request)
    entries = audit_entries_about(of, before=before, limit=PAGE + 1)
    shown = entries[:PAGE]
    return {
        "lines": lines_for(request, shown),
        "newest": shown[0] if shown and before is None else None,
        "words": f"{len(shown)} entries, newest first",
        "newer": _newer(of, shown[0].number) if shown and before is not None else "",
        "older": f"?before={shown[-1].number}" if len(entries) > PAGE else "",
    }


def _newer(of: Bundle | Check, number: int) -> str:
    """Link to the newer page; the first page has no number."""
    above = audit_number_above(of, number, PAGE)
    return "." if above is None else f"?before={above}"
