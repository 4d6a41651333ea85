"""Saves a recorded call as a test that expects the same decision."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from governance.case_runs.queries import cases_of
from governance.cases.commands import NameInUse, add_case
from governance.cases.domain import named
from governance.cases.queries import current_answer
from governance.cases.views.call_form import CallForm, SessionForm
from governance.cases.views.cases import case_page, rule_ids_of
from governance.contracts.queries.contracts import existing_bundle
from governance.core.case_text import written
from governance.core.cases import Case, CaseCall, Decides, Stops
from governance.core.errors import InvalidInput
from governance.core.masking import masked, masked_text
from governance.core.numbers import parse_number
from governance.models import Bundle
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action

LIMIT = "limit"
BLANKED = "Some arguments of this call were masked or cut before they were stored."


@require_POST
@member_page(Action.WRITE_CONTRACT)
def keep_call(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Store a recorded call as a test, without its secrets: a test lives as long as its
    contract."""
    bundle = existing_bundle(request.project, bundle_name)
    form = CallForm(request.POST)
    if not form.is_valid():
        messages.error(request, "This call can't be a test. Check its arguments.")
        return redirect("governance:cases", request.project.slug, bundle.name)
    call, hidden = _without_secrets(form.case_call())
    if request.POST.get("became") == LIMIT:
        return _session(request, bundle, call)
    expects = _expected(request, bundle, call)
    there = cases_of(bundle)
    if same := next((row for row in there if row.spec().expects == expects), None):
        messages.info(request, f"This call is already a test: “{same.name}”.")
        return redirect("governance:cases", request.project.slug, bundle.name)
    try:
        case = Case(named(expects, {row.name for row in there}), expects)
        row = add_case(bundle, case, by=request.actor)
    except (InvalidInput, NameInUse) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Test “{row.name}” saved.")
        _say_what_is_missing(request, hidden)
    return redirect("governance:cases", request.project.slug, bundle.name)


def _expected(request: MemberRequest, bundle: Bundle, call: CaseCall) -> Decides:
    """Recorded decision; for a call that ran, the contract's current decision."""
    rule = request.POST.get("rule", "")
    rule = rule if rule in rule_ids_of(bundle) else ""
    match request.POST.get("became"):
        case "block":
            return Decides(call=call, action="block", rule=rule)
        case "ask":
            return Decides(call=call, action="ask", rule=rule)
        case _:
            answer = current_answer(bundle, call)
            runs = answer is not None and answer.before == "runs"
            return Decides(call=call, action=answer.action if answer and runs else "allow")


def _session(request: MemberRequest, bundle: Bundle, call: CaseCall) -> HttpResponse:
    """Form for a call that a limit denied: the author adds the calls that came before it."""
    number = parse_number(request.POST.get("number"), 3)
    times = 1 if number is None else number
    calls = (replace(call, output=None, times=max(1, times)),)
    expects = Stops(calls=calls, stopped_at=max(1, times))
    initial = {
        "name": named(expects, {row.name for row in cases_of(bundle)}),
        "calls": written(calls),
        "stopped_at": expects.stopped_at,
        "rule": request.POST.get("rule", "") if times else "",
    }
    messages.info(request, "A limit denied this call. Add the calls before it.")
    return case_page(request, bundle, SessionForm(initial=initial))


def _say_what_is_missing(request: MemberRequest, hidden: int) -> None:
    if hidden:
        secrets = "1 secret" if hidden == 1 else f"{hidden} secrets"
        messages.warning(request, f"{secrets} masked. Check that the test still makes sense.")
    if "blanked" in request.POST:
        messages.warning(request, BLANKED)
    if "without_output" in request.POST:
        messages.warning(request, "The output is too large for a test and was left out.")


def _without_secrets(call: CaseCall) -> tuple[CaseCall, int]:
    args, in_args = masked(call.args)
    principal, in_principal = masked(call.principal)
    output, in_output = masked_text(call.output) if call.output is not None else (None, 0)
    clean = replace(
        call,
        args=args if isinstance(args, dict) else {},
        principal=principal if isinstance(principal, dict) else None,
        output=output,
    )
    return clean, in_args + in_principal + in_output
