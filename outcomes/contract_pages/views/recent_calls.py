"""Recent calls of a contract to save as tests, and arguments of a tool's last call."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from governance.cases.argument_lines import lines_of
from governance.cases.arguments import argument_fields as fields_of
from governance.cases.session_rows import PREFIX
from governance.contracts.queries.contracts import existing_bundle
from governance.core.json_text import json_written
from governance.core.json_value import Json
from governance.core.numbers import parse_number
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
    """Recent calls on the contract's tests page."""
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
    """Arguments of a tool's last call, as form fields and as text."""
    tool = request.GET.get("tool", "")[:LONGEST_NAME]
    args = _last_arguments(request.project.pk, tool)
    context = {
        "tool": tool,
        "source": bool(args),
        "argument_fields": fields_of(args),
        "lines": lines_of(args),
    }
    return render(request, "contract_pages/_tool_arguments.html", context)


@require_safe
@member_page()
def argument_lines(request: MemberRequest) -> HttpResponse:
    """Arguments of a tool's last call, as text for a row of a session test."""
    number = parse_number(request.GET.get("row"), 4)
    tool = request.GET.get("tool") or request.GET.get(f"{PREFIX}{number}:tool", "")
    args = _last_arguments(request.project.pk, tool[:LONGEST_NAME])
    if number is None or not args:
        return HttpResponse(status=204)
    context = {"number": number, "lines": lines_of(args)}
    return render(request, "cases/_argument_lines.html", context)


def _last_arguments(project_id: int, tool: str) -> dict[str, Json]:
    """Arguments of the tool's last call; empty if it has none, or very large ones."""
    row = last_call_of_tool(project_id, tool) if tool else None
    args = shown_calls([row])[0].folded.tool_args if row else None
    return args if isinstance(args, dict) and len(json_written(args)) <= LARGEST else {}
