"""Every rule that governed a call, asked again: the contract as it was then, and the session limits
with what had been counted by then."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from governance.contracts.queries.trial import Tried, try_call
from governance.contracts.queries.versions import Written, version_written
from governance.core.session_limits import MaxAttempts, MaxExecutions, SessionLimit
from governance.delivery.queries.governing import Governing
from governance.evaluation.engine import ToolCall
from governance.people.auth import MemberRequest, member_page
from outcomes.calls.queries.around_call import counted_before
from outcomes.calls.views.contract_calls import output_text
from outcomes.calls.views.named import named_call
from outcomes.models import Call
from outcomes.record.stored import WholeCall, whole_calls
from outcomes.web.named import call_at
from outcomes.web.parts import shown_part


@dataclass(frozen=True, slots=True)
class LimitThen:
    name: str
    what: str
    before: int
    value: int
    assumed: bool
    denied: bool  # this very call


@require_safe
@member_page()
def call_rules(request: MemberRequest) -> HttpResponse:
    row = named_call(request, request.GET.get("of", ""))
    written = version_written(row.version_id) if row.version_id else None
    tried = _tried(row, written) if written else None
    context = {
        "page_title": f"Rules evaluated for {row.call_id}",
        "row": row,
        "written": written,
        "tried": tried,
        "rules": [each for each in tried.rules if each.rule.type != "session"] if tried else [],
        "limits": list(_limits(row)),
        "differs": _differs(row, tried),
        "back": call_at(request, row),
    }
    return shown_part(request, "calls/_call_rules.html", "calls/call_part.html", context)


def _tried(row: Call, written: Written) -> Tried:
    whole = whole_calls([row])[0]  # asked with what was stored; the answer is masked
    return try_call(written.document, _as_asked(row, whole))


def _as_asked(row: Call, whole: WholeCall) -> ToolCall:
    call = whole.folded
    output, _ = output_text(call.outcome)
    return ToolCall(
        tool_name=row.tool.name,
        tool_args=call.tool_args,
        principal=call.principal,
        output=output,
        environment=row.environment.name,
    )


def _limits(row: Call) -> Iterator[LimitThen]:
    counts = counted_before(row)
    if not counts:
        return
    for limit in Governing([]).limits_of(row.version_id):
        if (limit.assumed and not row.from_sdk) or limit.tool not in (None, row.tool.name):
            continue
        what, before = _counted(limit, counts)
        names = ", ".join(limit.rule_ids) or limit.kind
        denied = row.reason == "limit" and (row.rule in limit.rule_ids or row.rule == limit.kind)
        yield LimitThen(names, what, before, limit.value, limit.assumed, denied)


def _counted(limit: SessionLimit, counts: dict[str, int]) -> tuple[str, int]:
    match limit:
        case MaxAttempts():
            return "attempts", counts["attempts"]
        case MaxExecutions():
            return "executions", counts["executions"]
        case _:
            return f"executions of {limit.tool}", counts["of_tool"]


def _differs(row: Call, tried: Tried | None) -> bool:
    """Whether the contract says otherwise now than what was reported then."""
    if tried is None or tried.explanation is None:
        return False
    denies = tried.explanation.action == "block" and any(
        each.decides and each.rule.type != "post" for each in tried.rules
    )
    was_denied = row.kind == "denied" and row.reason == "contract"
    return denies != was_denied and (denies or was_denied) and not row.would_deny
