"""The contracts of a project, and the ways to begin a new one."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance import commands, queries
from governance.auth import MemberRequest, member_page
from governance.commands.contracts import Grown, MovedOn
from governance.domain.contract_templates import template_named, templates, under_name
from governance.domain.document import MAX_BYTES
from governance.domain.errors import (
    DocumentInvalid,
    EvaluationLimit,
    EvaluationUnavailable,
    InvalidInput,
    NotFound,
    Problem,
)
from governance.forms import sent
from governance.policies import Action, may
from governance.queries.bundles import bundle_names, document_of, free_name, listed_bundles
from governance.views.contract_form import ContractForm
from governance.views.contract_words import contracts_sentence

SHOWN = 100
REFUSED = (DocumentInvalid, InvalidInput, EvaluationLimit, EvaluationUnavailable)


@require_safe
@member_page()
def contracts(request: MemberRequest) -> HttpResponse:
    after = request.GET.get("after", "")
    found = listed_bundles(request.project, after if "\0" not in after else "", SHOWN + 1)
    shown = found[:SHOWN]
    context = {
        "page_title": "Contracts",
        "sentence": contracts_sentence(shown, more=len(found) > SHOWN or bool(after)),
        "bundles": shown,
        "after": after,
        "next": shown[-1].name if len(found) > SHOWN else "",
        "may_write": may(request.role, Action.WRITE_CONTRACT),
    }
    return render(request, "governance/contracts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def new_contract(request: MemberRequest) -> HttpResponse:
    """From a template, from a contract that is there, or from a text that is brought along."""
    given = sent(request)
    start = given.get("from") if given is not None else None
    if not isinstance(start, str):
        form = ContractForm(given, request.FILES or None)
        if given is not None and form.is_valid():
            return _begin(request, form.written(), form, message=form.cleaned_data["message"])
        return _new(request, form)
    return _begin(request, _from(request, start), ContractForm())


def _from(request: MemberRequest, start: str) -> str:
    """The text of a template or of a contract, under a name that nobody has."""
    kind, _, name = start.partition(":")
    if kind == "template" and (template := template_named(name)):
        return under_name(template.document, free_name(request.project, name))
    bundle = queries.bundle_named(request.project, name) if kind == "contract" else None
    newest = queries.newest_version(bundle) if bundle else None
    if newest is None:
        raise NotFound("There is nothing of that name to begin with.")
    return under_name(document_of(newest), free_name(request.project, name))


def _begin(
    request: MemberRequest, text: str | bytes, form: ContractForm, *, message: str = ""
) -> HttpResponse:
    try:
        version, _ = commands.save_version(
            request.project,
            document=text,
            message=message,
            by=request.actor,
            grown=Grown("", 0),
        )
    except MovedOn as there:
        name = there.newest.bundle.name
        problem = Problem(message=f"There is a contract `{name}` already. Give it another name.")
        return _new(request, form, [problem], text=text, message=message, there=name)
    except REFUSED as refused:
        problems = refused.errors or [Problem(message=str(refused))]
        return _new(request, form, problems, text=text, message=message)
    messages.success(request, f"{version} is saved. Nothing runs it until it is deployed.")
    return redirect("governance:contract", request.project.slug, version.bundle.name)


def _new(
    request: MemberRequest,
    form: ContractForm,
    problems: Any = (),
    *,
    text: str | bytes = "",
    message: str = "",
    there: str = "",
) -> HttpResponse:
    shown = text.decode(errors="replace") if isinstance(text, bytes) else text
    if shown:  # what came in as a file, or from elsewhere, is corrected here
        form = ContractForm(initial={"text": shown[:MAX_BYTES], "message": message})
    context = {
        "page_title": "New contract",
        "templates": templates(),
        "bundles": bundle_names(request.project),
        "form": form,
        "problems": problems,
        "there": there,
        "largest": MAX_BYTES // 1024,
    }
    status = 422 if problems or form.errors else 200
    return render(request, "governance/new_contract.html", context, status=status)
