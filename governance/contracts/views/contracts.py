"""Contracts of a project, the person's own drafts, and the start of a new contract."""

from collections.abc import Iterator

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.contracts.commands.drafts import begin_draft
from governance.contracts.domain.templates import template_named, templates
from governance.contracts.forms import ContractForm
from governance.contracts.queries.bundles import (
    ListedBundle,
    bundle_names,
    document_of,
    free_name,
    listed_bundles,
)
from governance.contracts.queries.contracts import bundle_named, newest_version
from governance.contracts.queries.drafts import drafts_of
from governance.contracts.queries.requests import waiting_requests
from governance.contracts.tables import CONTRACTS, DRAFTS
from governance.contracts.words import contracts_sentence
from governance.core.errors import InvalidInput, NotFound
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.texts.metadata import under_name
from governance.web.exports import offer_part, offer_table
from governance.web.forms import sent
from governance.web.table_files import one_of_tables, page_after_page, table_file

SHOWN = 100


@require_safe
@member_page()
def contracts(request: MemberRequest) -> HttpResponseBase:
    may_write = may(request.role, Action.WRITE_CONTRACT)

    def rows() -> Iterator[ListedBundle]:
        return page_after_page(
            lambda last: listed_bundles(request.project, last.name if last else "", SHOWN), SHOWN
        )

    if request.GET.get("table") == "drafts":
        drafts = drafts_of(request.project, request.user.pk) if may_write else []
        file = one_of_tables(request, request.project, {"drafts": (DRAFTS, drafts)})
    else:
        file = table_file(request, request.project, "contracts", CONTRACTS, rows)
    if file is not None:
        return file
    drafts = drafts_of(request.project, request.user.pk) if may_write else []
    if drafts:
        offer_table(request, "drafts", table="drafts")
    offer_part(request, "agents-by-contract", "outcomes:contract_agents", table="contracts")
    after = request.GET.get("after", "")
    bundles = listed_bundles(request.project, after if "\0" not in after else "", SHOWN + 1)
    shown = bundles[:SHOWN]
    context = {
        "page_title": "Contracts",
        "sentence": contracts_sentence(shown, more=len(bundles) > SHOWN or bool(after)),
        "bundles": shown,
        "waiting": waiting_requests(request.project),
        "after": after,
        "next": shown[-1].name if len(bundles) > SHOWN else "",
        "may_write": may_write,
        "drafts": drafts,
    }
    return render(request, "contracts/contracts.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def new_contract(request: MemberRequest) -> HttpResponse:
    """Start a contract from a template, an existing contract or a text; each creates a draft."""
    given = sent(request)
    start = given.get("from") if given is not None else None
    form = ContractForm(given, request.FILES or None)
    try:
        if isinstance(start, str):
            return _begun(request, _from(request, start))
        if given is not None and form.is_valid():
            return _begun(request, form.written())
    except InvalidInput as refused:
        form = ContractForm(given, request.FILES or None)
        form.take(refused)
    context = {
        "page_title": "New contract",
        "templates": templates(),
        "bundles": bundle_names(request.project),
        "form": form,
    }
    status = 200 if given is None else 422
    return render(request, "contracts/new_contract.html", context, status=status)


def _begun(request: MemberRequest, text: str) -> HttpResponse:
    draft = begin_draft(request.project, text=text, by=request.actor)
    return redirect("governance:edit_new_draft", request.project.slug, draft.pk)


def _from(request: MemberRequest, start: str) -> str:
    """Text of a template or of a contract, under an unused name."""
    kind, _, name = start.partition(":")
    if kind == "template" and (template := template_named(name)):
        return under_name(template.document.text, free_name(request.project, name))
    bundle = bundle_named(request.project, name) if kind == "contract" else None
    newest = newest_version(bundle) if bundle else None
    if newest is None:
        raise NotFound("No template or contract has this name.")
    return under_name(document_of(newest).text, free_name(request.project, name))
