"""Draft of a success check for one call, with the rule that the pattern of its output suggests."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.checks.authoring.suggested_rules import name_for, new_text
from governance.checks.queries.checks import check_named, free_check_name
from governance.core.errors import InvalidInput, NotFound
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.check_editor.views.result_in_text import RULE, inserted_into
from outcomes.web.addresses import named_call


@require_safe
@member_page(Action.WRITE_CHECK)
def check_for_call(request: MemberRequest) -> HttpResponse:
    row = named_call(request, request.GET.get("of", ""))
    own = check_named(request.project, row.check_name) if row.check_name else None
    name = free_check_name(request.project, name_for(row.tool.name))
    text = why_not = ""
    try:
        empty = new_text(name, "" if own else row.check_name)
        text = inserted_into(empty, RULE, request.project.pk, str(row.pk)).text
    except (InvalidInput, NotFound) as refused:
        why_not = str(refused)
    context = {
        "page_title": f"A check for {row.tool.name}",
        "row": row,
        "own": own,
        "name": name,
        "text": text,
        "why_not": why_not,
    }
    return render(request, "check_editor/check_for_call.html", context)
