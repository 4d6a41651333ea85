"""Diff of a call with the previous call of its tool: arguments and output."""

from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from governance.core.json_text import json_written
from governance.core.json_value import Json
from governance.people.auth import MemberRequest, member_page
from governance.texts.text_diff import Part, parts_around, side_by_side
from outcomes.calls.queries.around_call import previous_of_tool
from outcomes.masking.queries.shown_calls import ShownCall, shown_calls
from outcomes.record.outcome import (
    NotReported,
    Removed,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.web.addresses import call_at, named_call
from outcomes.web.paging import shown_part

LINES: Final = 1_500  # of each part that are compared; longer diffs are unreadable
_CONTEXT: Final = 2


@dataclass(frozen=True, slots=True)
class Difference:
    title: str
    parts: list[Part]
    is_cut: bool


@require_safe
@member_page()
def call_difference(request: MemberRequest) -> HttpResponse:
    row = named_call(request, request.GET.get("of", ""))
    previous = previous_of_tool(row)
    differences = []
    if previous is not None:
        by_id = {call.row.pk: call for call in shown_calls([previous, row])}
        before, after = by_id[previous.pk], by_id[row.pk]
        differences = [
            _difference("Arguments", _arguments(before), _arguments(after)),
            _difference("Output", _output(before), _output(after)),
        ]
    context = {
        "page_title": f"{row.call_id} vs the previous call",
        "row": row,
        "previous": previous,
        "differences": differences,
        "back": call_at(request, row),
    }
    return shown_part(request, "calls/_call_difference.html", "calls/call_part.html", context)


def _difference(title: str, before: str, after: str) -> Difference:
    old, new = _first_lines(before), _first_lines(after)
    parts = parts_around(side_by_side(old, new), _CONTEXT)
    return Difference(title, parts, (old, new) != (before, after))


def _first_lines(text: str) -> str:
    lines = text.split("\n")
    return text if len(lines) <= LINES else "\n".join(lines[:LINES])


def _arguments(call: ShownCall) -> str:
    return "" if call.folded.tool_args is None else _written(call.folded.tool_args)


def _output(call: ShownCall) -> str:
    match call.folded.outcome:
        case ToolExecutionResult(output=output):
            if isinstance(output, Removed):
                return "(removed by retention)"
            return "(not reported)" if isinstance(output, NotReported) else _written(output)
        case ToolArtifactReference(artifact_id=artifact, summary=summary):
            return f"(artifact {artifact})\n{summary}"
        case ToolFailure(error=error):
            return f"(failed)\n{error}"
        case ToolTimeout():
            return "(timed out)"
        case ToolDenied(reason=reason, details=details):
            return f"(denied: {reason})\n{details}"
        case None:
            return "(no result yet)"


def _written(value: Json) -> str:
    return value if isinstance(value, str) else json_written(value, indent=2)
