"""Recorded decision on a call and its reasons: the contract's rules, re-evaluated, and session
limits with their counts at the time."""

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
from outcomes.calls.words import difference_words, recorded_words
from outcomes.models import Call
from outcomes.stored.queries import StoredCall, read_calls
from outcomes.web.addresses import call_at, named_call
from outcomes.web.paging import shown_part

DENIED, LIMIT = "denied", "limit"


@dataclass(frozen=True, slots=True)
class LimitThen:
    name: str
    what: str
    before: int
    value: int
    assumed: bool
    denied: bool  # this call


@require_safe
@member_page()
def call_rules(request: MemberRequest) -> HttpResponse:
    row = named_call(request, request.GET.get("of", ""))
    written = version_written(row.version_id) if row.version_id else None
    stored = read_calls([row])[0] if written else None
    tried = _tried(row, stored, written) if written and stored else None
    limits = list(_limits(row))
    context = {
        "page_title": f"Rules evaluated for {row.call_id}",
        "row": row,
        "written": written,
        "recorded": recorded_words(row),
        "unanswered": "" if tried is None or tried.explanation else tried.why,
        "rules": [rule for rule in tried.rules if rule.rule.type != "session"] if tried else [],
        "limits": limits,
        "is_by_limit": row.reason == LIMIT,
        "knows_limit": any(limit.denied for limit in limits),
        "difference": _difference(row, stored, tried),
        "back": call_at(request, row),
    }
    return shown_part(request, "calls/_call_rules.html", "calls/call_part.html", context)


def _tried(row: Call, stored: StoredCall, written: Written) -> Tried:
    return try_call(written.document, _as_sent(row, stored))  # the answer is masked


def _as_sent(row: Call, stored: StoredCall) -> ToolCall:
    call = stored.folded
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
        denied = row.reason == LIMIT and (row.rule in limit.rule_ids or row.rule == limit.kind)
        yield LimitThen(names, what, before, limit.value, limit.assumed, denied)


def _counted(limit: SessionLimit, counts: dict[str, int]) -> tuple[str, int]:
    match limit:
        case MaxAttempts():
            return "attempts", counts["attempts"]
        case MaxExecutions():
            return "executions", counts["executions"]
        case _:
            return f"executions of {limit.tool}", counts["of_tool"]


def _difference(row: Call, stored: StoredCall | None, tried: Tried | None) -> str:
    """How re-evaluation differs from the record, and why; empty if both agree.

    Only the contract's rules can be re-evaluated: a limit, an approval or the agent itself may have
    denied a call that every rule allows."""
    if stored is None or tried is None or tried.explanation is None or row.would_deny:
        return ""
    denies = tried.explanation.action == "block" and any(
        rule.decides and rule.rule.type != "post" for rule in tried.rules
    )
    was_denied = row.kind == DENIED
    if denies == was_denied or (was_denied and row.reason != "contract"):
        return ""
    return difference_words(denies=denies, by=tried.deciding, args=stored.folded.tool_args)
