"""Page of the audit log."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from governance.audit.queries import (
    AuditFilter,
    approvals_coded,
    audit_choices,
    audit_entries,
    audit_length,
    audit_number_above,
)
from governance.audit.tables import AUDIT_LOG
from governance.audit.views.verification import with_signed_head
from governance.audit.words import Line, actor_choices, is_about_an_approval, lines_of
from governance.core.numbers import ID_DIGITS, parse_number
from governance.models import AuditEntry
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.people import names_by_email
from governance.web.table_files import page_after_page, table_file

PAGE = 50
MANY = 500  # rows of a file per query


@require_safe
@member_page()
def audit(request: MemberRequest) -> HttpResponseBase:
    project, chosen = request.project, _filter_in(request.GET)

    def rows() -> Iterator[AuditEntry]:
        return page_after_page(
            lambda last: audit_entries(
                project, chosen, before=last.number if last else None, limit=MANY
            ),
            MANY,
        )

    if (file := table_file(request, project, "audit-log", AUDIT_LOG, rows)) is not None:
        return with_signed_head(file, project)
    before = number_before(request)
    entries = audit_entries(project, chosen, before=before, limit=PAGE + 1)
    actors, actions = audit_choices(project)
    context: dict[str, Any] = {
        "page_title": "Audit log",
        "lines": lines_for(request, entries[:PAGE]),
        "length": audit_length(project),
        "words": f"{len(entries[:PAGE])} entries, newest first",
        "newer": _newer(request, chosen, entries[0].number) if before and entries else "",
        "older": _address(request, entries[PAGE - 1].number) if len(entries) > PAGE else "",
        "chosen": chosen,
        "may_stream": may(request.role, Action.MANAGE_SETTINGS),
        "actors": actor_choices(actors, names_by_email(project)),
        "actions": actions,
    }
    return render(request, "audit/audit.html", context)


def lines_for(request: MemberRequest, entries: list[AuditEntry]) -> list[Line]:
    codes = [entry.subject for entry in entries if is_about_an_approval(entry)]
    approvals = approvals_coded(request.project, codes) if codes else {}
    return lines_of(request.project.slug, entries, approvals)


def number_before(request: MemberRequest) -> int | None:
    """Cursor of the page: the entry number before which it starts."""
    return parse_number(request.GET.get("before"), ID_DIGITS)


def _filter_in(query: QueryDict) -> AuditFilter:
    """Filters in a URL. Values with NUL are ignored, because PostgreSQL rejects them."""
    actor, action, subject, since, until = (
        "" if "\0" in (value := query.get(name, "")) else value.strip()
        for name in ("by", "action", "q", "since", "until")
    )
    return AuditFilter(actor, action, subject, _moment(since), _moment(until))


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _newer(request: MemberRequest, chosen: AuditFilter, number: int) -> str:
    return _address(request, audit_number_above(request.project, number, PAGE, chosen))


def _address(request: MemberRequest, before: int | None) -> str:
    """URL of this page with its filters and another cursor."""
    parameters = {name: value for name, value in request.GET.items() if name != "before" and value}
    if before is not None:
        parameters["before"] = str(before)
    return f"?{urlencode(parameters)}" if parameters else "."
