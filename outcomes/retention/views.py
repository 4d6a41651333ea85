"""Retention pages: rules and runs, legal holds, erasure."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.web.forms import sent
from governance.web.table_files import one_of_tables
from outcomes.holds.commands import hold_query, hold_session, lift_hold
from outcomes.holds.queries import holds_of
from outcomes.jobs import doorbell
from outcomes.retention.commands.erasing import start_erasure
from outcomes.retention.commands.rules import reset_rule, set_rule
from outcomes.retention.commands.runs import cancel_run, start_run
from outcomes.retention.domain import Rule, kind_named
from outcomes.retention.forms import EraseForm, HoldForm, RuleForm
from outcomes.retention.queries.preview import due_now
from outcomes.retention.queries.rules import rules_of
from outcomes.retention.queries.runs import archived_days, erasures_of, marks_of, runs_of
from outcomes.retention.tables import RULES
from outcomes.retention.words import MEANINGS, NAMES, days_words, headline, removed_words
from outcomes.stored.queries import session_named

CAN_MANAGE = Action.MANAGE_RETENTION


@require_safe
@member_page()
def retention(request: MemberRequest) -> HttpResponseBase:
    project = request.project
    rows = due_now(project, timezone.now())
    file = one_of_tables(request, project, {"retention-rules": (RULES, rows)})
    if file is not None:
        return file
    runs = runs_of(project.pk)
    days, newest = archived_days(project.pk)
    context = {
        "page_title": "Retention",
        "sentence": headline(rows, runs.current),
        "rows": [
            (row, NAMES[row.rule.kind], MEANINGS[row.rule.kind], days_words(row.rule.days))
            for row in rows
        ],
        "runs": runs,
        "removed": removed_words(runs.last) if runs.last else "",
        "holds": list(holds_of(project.pk)),
        "erasures": erasures_of(project.pk),
        "marks": marks_of(project.pk),
        "archived": days,
        "archived_to": newest.day if newest else None,
        "may_manage": may(request.role, CAN_MANAGE),
    }
    return render(request, "retention/retention.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(CAN_MANAGE)
def retention_rule(request: MemberRequest) -> HttpResponse:
    kind = kind_named(request.GET.get("kind", ""))
    environment = request.GET.get("environment", "")
    rule = _rule(request, kind, environment)
    form = RuleForm(sent(request), initial={"keep": _keep_choice(rule), "days": rule.days})
    if form.is_valid() and _is_saved(request, form, kind, environment):
        messages.success(request, "Rule saved.")
        return redirect("outcomes:retention", request.project.slug)
    context = {
        "page_title": f"Keep {NAMES[kind].lower()}",
        "form": form,
        "name": NAMES[kind],
        "meaning": MEANINGS[kind],
        "environment": environment,
    }
    status = 422 if form.errors else 200
    return render(request, "retention/rule.html", context, status=status)


@require_POST
@member_page(CAN_MANAGE)
def start_retention_run(request: MemberRequest) -> HttpResponse:
    try:
        run = start_run(request.project, by=request.actor)
    except Conflict as error:
        messages.error(request, str(error))
    else:
        doorbell.ring(doorbell.RETENTION, run.pk)
        messages.success(request, "Run started.")
    return redirect("outcomes:retention", request.project.slug)


@require_POST
@member_page(CAN_MANAGE)
def cancel_retention_run(request: MemberRequest, run_id: int) -> HttpResponse:
    cancel_run(request.project, run_id, by=request.actor)
    messages.success(request, "Run cancelled. Data already removed can't be restored.")
    return redirect("outcomes:retention", request.project.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(CAN_MANAGE)
def new_hold(request: MemberRequest) -> HttpResponse:
    places = (("session", "of"), ("environment", "environment"), ("query", "q"))
    initial = {name: request.GET.get(parameter, "") for name, parameter in places}
    form = HoldForm(sent(request), initial=initial)
    if form.is_valid() and _is_placed(request, form):
        messages.success(request, "Legal hold placed.")
        return redirect("outcomes:retention", request.project.slug)
    context = {"page_title": "New legal hold", "form": form}
    status = 422 if form.errors else 200
    return render(request, "retention/new_hold.html", context, status=status)


@require_POST
@member_page(CAN_MANAGE)
def lift_legal_hold(request: MemberRequest, hold_id: int) -> HttpResponse:
    lift_hold(request.project, hold_id, by=request.actor)
    messages.success(request, "Legal hold lifted. The rules apply again.")
    return redirect("outcomes:retention", request.project.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(CAN_MANAGE)
def erase(request: MemberRequest) -> HttpResponse:
    initial = {name: request.GET.get(name, "") for name in ("about", "name")}
    form = EraseForm(sent(request), initial=initial)
    if form.is_valid():
        try:
            erasure = start_erasure(request.project, **form.cleaned_data, by=request.actor)
        except (Conflict, InvalidInput, NotFound) as error:
            form.take(error)
        else:
            doorbell.ring(doorbell.ERASE, erasure.pk)
            messages.success(request, "Erasure started. It takes a few minutes.")
            return redirect("outcomes:retention", request.project.slug)
    context = {"page_title": "Erase an agent or a principal", "form": form}
    status = 422 if form.errors else 200
    return render(request, "retention/erase.html", context, status=status)


def _rule(request: MemberRequest, kind: Any, environment: str) -> Rule:
    names = {each.name: each.pk for each in request.project.environments.all()}
    if environment and environment not in names:
        raise NotFound("Environment not found.")
    return rules_of(request.project.pk, names.get(environment))[kind]


def _keep_choice(rule: Rule) -> str:
    if not rule.is_own:
        return "inherit"
    return "forever" if rule.days is None else "days"


def _is_saved(request: MemberRequest, form: RuleForm, kind: Any, environment: str) -> bool:
    keep, days = form.cleaned_data["keep"], form.cleaned_data["days"]
    place: dict[str, Any] = {"kind": kind, "env": environment, "by": request.actor}
    try:
        if keep == "inherit":
            reset_rule(request.project, **place)
        else:
            set_rule(request.project, days=days if keep == "days" else None, **place)
    except InvalidInput as error:
        form.take(error)
        return False
    return True


def _is_placed(request: MemberRequest, form: HoldForm) -> bool:
    given = form.cleaned_data
    try:
        if given["session"]:
            session = session_named(request.project.pk, given["session"], given["environment"])
            if session is None:
                raise InvalidInput.at("session", "Session not found.")
            hold_session(session, reason=given["reason"], by=request.actor)
        else:
            hold_query(
                request.project, query=given["query"], reason=given["reason"], by=request.actor
            )
    except (Conflict, InvalidInput, NotFound) as error:
        form.take(error)
        return False
    return True
