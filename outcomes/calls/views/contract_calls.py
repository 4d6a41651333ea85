"""Recorded calls as input for the playground and contract tests, and tool and contract names to
choose from."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.contracts.queries.bundles import bundle_names
from governance.core.errors import NotFound
from governance.core.json_text import json_written
from governance.core.json_value import Json
from governance.core.masking import MASK
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.calls.domain import is_as_sent
from outcomes.calls.queries.contract_words import tools_called
from outcomes.calls.queries.lists import number_of
from outcomes.masking.queries.shown_calls import ShownCall, shown_calls
from outcomes.models import Call
from outcomes.record.outcome import NotReported, ToolArtifactReference, ToolExecutionResult
from outcomes.web.addresses import named_call

LARGEST: Final = 32 * 1024  # characters included in every call page
LARGEST_TEST: Final = 64 * 1024  # characters that a contract test can hold
# Any other reason means that something other than the contract denied the call.
_DENIED_FOR: Final = {"contract": "block", "limit": "limit"}


@dataclass(frozen=True, slots=True)
class CallToTry:
    """A recorded call as form fields."""

    fields: tuple[tuple[str, str], ...]
    size: int  # characters of its arguments
    is_blanked: bool  # by the agent, before it reported the call
    is_masked: bool  # by the console: the form contains no secrets
    without_output: bool

    @property
    def is_large(self) -> bool:
        return self.size > LARGEST

    @property
    def fits_a_test(self) -> bool:
        return self.size <= LARGEST_TEST


@require_safe
@member_page()
def tool_options(request: MemberRequest) -> HttpResponse:
    tools = tools_called(request.project.pk, timezone.now())
    return render(request, "agents/_tool_options.html", {"names": tools})


@require_safe
@member_page()
def contract_options(request: MemberRequest) -> HttpResponse:
    names = bundle_names(request.project)
    return render(request, "agents/_tool_options.html", {"names": names})


@require_safe
@member_page()
def try_call(request: MemberRequest) -> HttpResponse:
    """Page with the form fields of a call that are too large to include in its own page."""
    row = named_call(request, request.GET.get("of", ""))
    shown = shown_calls([row])[0]
    number = number_of(row.session, row) if row.session else None
    to_try = call_to_try(shown, row, number=number)
    if to_try is None:
        raise NotFound("This call has no reported arguments.")
    context = {
        "page_title": f"Try {row.tool.name}",
        "row": row,
        "to_try": to_try,
        "may_write_contracts": may(request.role, Action.WRITE_CONTRACT),
    }
    return render(request, "calls/try_call.html", context)


def call_to_try(shown: ShownCall, row: Call, *, number: int | None) -> CallToTry | None:
    """Form fields of a call, or None if its arguments are unknown or not an object."""
    call = shown.folded
    if not isinstance(call.tool_args, dict):
        return None
    args = json_written(call.tool_args)
    output, ran = output_text(call.outcome)
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
    without_output = ran and not fits
    is_masked = any(MASK in str(field) for field in fields.values())
    return CallToTry(
        tuple(fields.items()), len(args), is_blanked, is_masked, without_output=without_output
    )


def output_text(outcome: object) -> tuple[str | None, bool]:
    """Text that the library derives from an output, and whether the tool returned anything."""
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
    """Recorded decision before the call ran."""
    if row.approval_requested:
        return "ask"
    return _DENIED_FOR.get(row.reason, "") if row.kind == "denied" else "allow"
