"""Hints and completions for the contract editor."""

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from governance.contracts.domain import grammar
from governance.contracts.queries.analysis import check_draft
from governance.contracts.queries.contracts import bundle_named
from governance.contracts.queries.drafts import changes_since, text_of, version_from
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.dialect import Dialect
from governance.texts.notation import as_written
from outcomes.calls.queries.contract_words import contract_words, tools_called


@require_POST
@member_page(Action.WRITE_CONTRACT)
def check_contract(request: MemberRequest) -> HttpResponse:
    """Problems of a draft, its rules, and its changes since the version it is based on."""
    text = request.POST.get("text", "")
    bundle = bundle_named(request.project, request.POST.get("bundle", ""))
    base = version_from(bundle, request.POST.get("base", ""))
    tools = tools_called(request.project.pk, timezone.now())
    context = {
        "checked": check_draft(request.project, bundle, text, tools=tools),
        "base": base,
        "changes": changes_since(base, text),
        "unchanged": base is not None and as_written(text, like=text_of(base)) == text_of(base),
    }
    return render(request, "contract_pages/_contract_checked.html", context)


@require_safe
@member_page(Action.WRITE_CONTRACT)
def words(request: MemberRequest) -> JsonResponse:
    known = contract_words(request.project.pk, timezone.now())
    words = {
        "keys": {str(each): grammar.keys_in(each) for each in Dialect},
        "values": {str(each): grammar.values_in(each) for each in Dialect},
        "conditions": grammar.CONDITIONS,
        "operators": grammar.OPERATORS,
        "operands": grammar.OPERANDS,
        "selectors": [*grammar.SELECTORS, *known.selectors],
        "tools": known.tools,
        "roles": known.roles,
    }
    return JsonResponse(words)
