"""Recent calls of a contract to keep as tests, and arguments of a tool's last call."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from governance.cases.arguments import argument_fields as fields_of
from governance.contracts.queries.contracts import existing_bundle
from governance.core.json_text import json_written
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.calls.views.contract_calls import LARGEST, call_to_try
from outcomes.contract_pages.queries.recent_calls import last_call_of_tool, recent_calls_of
from outcomes.masking.queries.shown_calls import shown_calls
from outcomes.record.arguments import arguments_text

LONGEST_NAME = 256


@require_safe
@member_page()
def recent_calls(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Part of the page of tests."""
    bundle = existing_bundle(request.project, bundle_name)
    if request.headers.get("HX-Request") != "true":
        return redirect("governance:cases", request.project.slug, bundle.name)
    rows = recent_calls_of(bundle)
    lines = []
    for row, shown in zip(rows, shown_calls(rows), strict=True):
        to_try = call_to_try(shown, row, number=None)
        if to_try is not None and not to_try.is_large and row.reason != "limit":
            lines.append((row, arguments_text(shown.folded.tool_args), to_try))
    context = {
        "bundle": bundle,
        "calls": lines,
        "may_write": may(request.role, Action.WRITE_CONTRACT),
    }
    return render(request, "contract_pages/_recent_calls.html", context)


@require_safe
@member_page()
def argument_fields(request: MemberRequest) -> HttpResponse:
    """Fields with the arguments of the last call of a tool, and the same as JSON."""
    tool = request.GET.get("tool", "")[:LONGEST_NAME]
    row = last_call_of_tool(request.project.pk, tool) if tool else None
    args = shown_calls([row])[0].folded.tool_args if row else None
    if not isinstance(args, dict) or len(json_written(args)) > LARGEST:
        args = {}
    context = {
        "tool": tool,
        "source": row if args else None,
        "argument_fields": fields_of(args),
        "json": json_written(args, indent=2),
    }
    return render(request, "contract_pages/_tool_arguments.html", context)
