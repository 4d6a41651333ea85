"""What the playground and the tests of contracts take from recorded calls, and names to choose."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.domain.json_text import json_written
from governance.domain.json_value import Json
from governance.queries.bundles import bundle_names
from outcomes.domain.asking import is_as_sent
from outcomes.domain.outcome import NotReported, ToolArtifactReference, ToolExecutionResult
from outcomes.models import Call
from outcomes.queries import WholeCall
from outcomes.queries.contract_words import tools_called

LARGEST: Final = 32 * 1024  # characters of a call or an output that a page takes along
# Whatever else denied it was not its contract.
_DENIED_FOR: Final = {"contract": "block", "limit": "limit"}


@dataclass(frozen=True, slots=True)
class CallToTry:
    """A recorded call as the fields of a form hold it."""

    fields: tuple[tuple[str, str], ...]
    is_blanked: bool  # by the agent, before it told of the call
    without_output: bool


@require_safe
@member_page()
def tool_options(request: MemberRequest) -> HttpResponse:
    tools = tools_called(request.project.pk, timezone.now())
    return render(request, "outcomes/_tool_options.html", {"names": tools})


@require_safe
@member_page()
def contract_options(request: MemberRequest) -> HttpResponse:
    names = bundle_names(request.project)
    return render(request, "outcomes/_tool_options.html", {"names": names})


def call_to_try(whole: WholeCall, row: Call, *, number: int | None) -> CallToTry | None:
    """None where the arguments are not known, are no object, or too long to take along."""
    call = whole.folded
    if not isinstance(call.tool_args, dict):
        return None
    args = json_written(call.tool_args)
    if len(args) > LARGEST:
        return None
    output, ran = _output(call.outcome)
    fits = output is not None and len(output) <= LARGEST
    fields: dict[str, Any] = {
        "tool": row.tool.name,
        "args": args,
        "principal": json_written(call.principal) if call.principal else "",
        "environment": row.environment.name,
        "became": _became(row),
        "rule": row.rule,
        "number": "" if number is None else str(number),
    }
    if fits:
        fields |= {"output": output, "returned": "on"}
    is_blanked = not is_as_sent(call.tool_args)
    if is_blanked:
        fields["blanked"] = "on"
    if ran and not fits:
        fields["without_output"] = "on"
    return CallToTry(tuple(fields.items()), is_blanked, without_output=ran and not fits)


def _output(outcome: object) -> tuple[str | None, bool]:
    """As the library makes text of what a tool returned; and whether it returned anything."""
    match outcome:
        case ToolArtifactReference():
            return None, True
        case ToolExecutionResult(output=output):
            return None if isinstance(output, NotReported) else _clean(output), True
        case _:
            return None, False


def _clean(output: Json) -> str:
    return str(output).replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


def _became(row: Call) -> str:
    """What was decided before it would have run."""
    if row.asked:
        return "ask"
    return _DENIED_FOR.get(row.reason, "") if row.kind == "denied" else "allow"
