"""Tests of a contract: listed with their current results, written, moved and deleted."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.case_runs.queries import cases_of, run_text, stored_run
from governance.cases import commands as cases_commands
from governance.cases.commands import NameInUse, add_case, change_case
from governance.cases.domain import MOST_CASES
from governance.cases.queries import case_numbered
from governance.cases.tables import CASES as TESTS
from governance.cases.views.call_form import NO_CALL, CaseForm, SessionForm, shown_case
from governance.contracts.queries.bundles import document_of
from governance.contracts.queries.contracts import existing_bundle, newest_version, versions_before
from governance.contracts.queries.drafts import draft_of, text_of
from governance.contracts.views.tabs import CASES, shown_tabs, version_or_newest
from governance.core.errors import InvalidInput, NotFound
from governance.core.json_text import json_written
from governance.models import Bundle, Case
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.projects import environments
from governance.texts.outline import outline
from governance.web.forms import sent
from governance.web.table_files import Tables, one_of_tables

DRAFT = "draft"


@require_safe
@member_page()
def cases(request: MemberRequest, bundle_name: str) -> HttpResponseBase:
    """Run the tests against the person's draft, the requested version, or else the newest one."""
    bundle = existing_bundle(request.project, bundle_name)
    draft = draft_of(bundle, request.user.pk)
    against_draft = draft is not None and request.GET.get("version") == DRAFT
    version = None if against_draft else version_or_newest(bundle, request.GET.get("version", ""))
    rows = cases_of(bundle)
    text = draft.text if draft and version is None else bytes(version.document) if version else ""
    ran = run_text(text, [row.spec() for row in rows])
    context = _head(request, bundle) | {
        "page_title": f"Tests of {bundle.name}",
        "version": version,
        "draft": draft,
        "ran": ran,
        "rows": list(zip(rows, ran.results, strict=True)) if ran.results else [],
        "unrun": rows if ran.why else [],
        "kept": stored_run(version) if version else None,
        "versions": versions_before(bundle, None, 50),
        "is_full": len(rows) >= MOST_CASES,
    }
    tables: Tables = {"tests": (TESTS, context["rows"] or [(row, None) for row in rows])}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "cases/cases.html", context)


@require_safe
@member_page()
def cases_panel(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Card in the editor: tests run against your saved draft, or the newest version."""
    if "HX-Request" not in request.headers:
        there = reverse("governance:cases", args=[request.project.slug, bundle_name])
        return redirect(f"{there}?version={DRAFT}")
    bundle = existing_bundle(request.project, bundle_name)
    draft = draft_of(bundle, request.user.pk)
    rows = cases_of(bundle)
    version = None if draft else version_or_newest(bundle, request.GET.get("version", ""))
    text = draft.text if draft else text_of(version)
    ran = run_text(text, [row.spec() for row in rows])
    context = {
        "bundle": bundle,
        "ran": ran,
        "draft": draft,
        "there": len(rows),
        "may_write": may(request.role, Action.WRITE_CONTRACT),
    }
    return render(request, "cases/_cases_panel.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def new_case(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Form for a new test. `fill` prefills the call; the author chooses the expected decision."""
    bundle = existing_bundle(request.project, bundle_name)
    if request.method == "POST" and "fill" in request.POST:
        return case_page(request, bundle, CaseForm(initial=_brought(request)))
    form = CaseForm(sent(request))
    return _write(request, bundle, form, None)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def new_session_case(request: MemberRequest, bundle_name: str) -> HttpResponse:
    bundle = existing_bundle(request.project, bundle_name)
    if request.method == "POST" and "fill" not in request.POST:
        return _write_session(request, bundle, None)
    initial = {"calls": NO_CALL} | _brought(request)
    return case_page(request, bundle, SessionForm(initial=initial))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def edit_case(request: MemberRequest, bundle_name: str, case_id: int) -> HttpResponse:
    bundle = existing_bundle(request.project, bundle_name)
    row = _case(bundle, case_id)
    kind = CaseForm if row.action else SessionForm
    if request.method == "POST" and kind is SessionForm:
        return _write_session(request, bundle, row)
    if request.method == "POST":
        return _write(request, bundle, CaseForm(request.POST), row)
    return case_page(request, bundle, kind(initial=shown_case(row.spec())), row)


@require_POST
@member_page(Action.WRITE_CONTRACT)
def move_case(request: MemberRequest, bundle_name: str, case_id: int) -> HttpResponse:
    row = _case(existing_bundle(request.project, bundle_name), case_id)
    cases_commands.move_case(row, up="up" in request.POST, by=request.actor)
    return redirect("governance:cases", request.project.slug, bundle_name)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def remove_case(request: MemberRequest, bundle_name: str, case_id: int) -> HttpResponse:
    bundle = existing_bundle(request.project, bundle_name)
    row = _case(bundle, case_id)
    if request.method == "POST":
        cases_commands.remove_case(row, by=request.actor)
        messages.success(request, f"Test “{row.name}” deleted.")
        return redirect("governance:cases", request.project.slug, bundle_name)
    context = _head(request, bundle) | {"page_title": f"Delete {row.name}", "case": row}
    return render(request, "cases/remove_case.html", context)


def _write_session(request: MemberRequest, bundle: Bundle, row: Case | None) -> HttpResponse:
    """Save the test, or show the form after an edit: a call added or removed, or JSON."""
    act, form = request.POST.get("act", ""), SessionForm(request.POST)
    if not act:
        return _write(request, bundle, form, row)
    try:
        return case_page(request, bundle, form.after(act), row)
    except InvalidInput as refused:
        form.is_valid()
        form.errors["calls"] = form.error_class([str(refused)])
        return case_page(request, bundle, form, row)


def _write(
    request: MemberRequest, bundle: Bundle, form: CaseForm | SessionForm, row: Case | None
) -> HttpResponse:
    if not form.is_bound or not form.is_valid():
        return case_page(request, bundle, form, row)
    try:
        if row is None:
            row = add_case(bundle, form.case(), by=request.actor)
        else:
            row = change_case(row, form.case(), by=request.actor)
    except (InvalidInput, NameInUse) as refused:
        form.take(refused)
        return case_page(request, bundle, form, row)
    messages.success(request, f"Test “{row.name}” saved.")
    return redirect("governance:cases", request.project.slug, bundle.name)


def case_page(
    request: MemberRequest, bundle: Bundle, form: CaseForm | SessionForm, row: Case | None = None
) -> HttpResponse:
    context = _head(request, bundle) | {
        "page_title": f"Edit {row.name}" if row else "New test",
        "form": form,
        "case": row,
        "is_session": isinstance(form, SessionForm),
        "rule_ids": rule_ids_of(bundle),
        "known_environments": environments(request.project),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "cases/edit_case.html", context, status=status)


def _brought(request: MemberRequest) -> dict[str, str]:
    """Initial values for this form, sent by another one."""
    names = {*CaseForm.base_fields, *SessionForm.base_fields}
    brought = {name: str(request.POST[name]) for name in names if name in request.POST}
    form = CaseForm(request.POST)
    if not form.is_raw and form.argument_fields and "args" not in form.errors:
        brought["args"] = json_written(form.cleaned_data["args"], indent=2)
    return brought


def rule_ids_of(bundle: Bundle) -> list[str]:
    version = newest_version(bundle)
    return [rule.id for rule in outline(document_of(version))] if version else []


def _head(request: MemberRequest, bundle: Bundle) -> dict[str, Any]:
    return {
        "bundle": bundle,
        "tabs": shown_tabs(request, bundle.name, CASES),
        "may_write": may(request.role, Action.WRITE_CONTRACT),
    }


def _case(bundle: Bundle, number: int) -> Case:
    case = case_numbered(bundle, number)
    if case is None:
        raise NotFound("Test not found.")
    return case
