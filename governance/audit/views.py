"""The audit log as a page."""

from collections.abc import Iterator

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.audit.queries import audit_entries, audit_length
from governance.audit.tables import AUDIT_LOG
from governance.core.numbers import ID_DIGITS, whole_number
from governance.models import AuditEntry
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import page_after_page, table_file

PAGE = 50
MANY = 500  # of a file, at once


@require_safe
@member_page()
def audit(request: MemberRequest) -> HttpResponseBase:
    def rows() -> Iterator[AuditEntry]:
        return page_after_page(
            lambda last: audit_entries(
                request.project, before=last.number if last else None, limit=MANY
            ),
            MANY,
        )

    if (file := table_file(request, request.project, "audit-log", AUDIT_LOG, rows)) is not None:
        return file
    entries = audit_entries(request.project, before=number_before(request), limit=PAGE + 1)
    shown = entries[:PAGE]
    length = audit_length(request.project)
    newest = shown[0].number if shown else 0
    context = {
        "page_title": "Audit log",
        "entries": shown,
        "length": length,
        "words": f"{len(shown)} of {length:,}, newest first",
        # Back up by a page; beyond the newest one there is the first page.
        "newer": _newer(newest, length) if newest < length else "",
        "older": f"?before={shown[-1].number}" if len(entries) > PAGE else "",
    }
    return render(request, "audit/audit.html", context)


def number_before(request: MemberRequest) -> int | None:
    """The entry that a page ends before."""
    return whole_number(request.GET.get("before"), ID_DIGITS)


def _newer(newest: int, length: int) -> str:
    before = newest + PAGE + 1
    return f"?before={before}" if before <= length else "."
