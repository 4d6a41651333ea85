"""Page of one call: arguments, outcome, verdict and events."""

import json
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.core.json_text import json_written
from governance.core.masking import Masking
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.artifacts.queries.pieces import beginning_of
from outcomes.calls.queries.approvals import approvals_of
from outcomes.calls.queries.around_call import (
    attempts_among,
    calls_of_same_tool,
    nearest,
    previous_of_tool,
)
from outcomes.calls.queries.lists import neighbours_of, number_of
from outcomes.calls.views.check_trail import rules_before
from outcomes.calls.views.contract_calls import call_to_try
from outcomes.calls.views.rows import is_late, judge_of
from outcomes.calls.words import call_sentence, decider_sentence, event_words
from outcomes.figures.queries.doubt import is_suspected
from outcomes.masking.queries.shown_calls import ShownCall, shown
from outcomes.models import Call
from outcomes.record import codec
from outcomes.record.classification import agent_check
from outcomes.record.model_content import outcome_to_model_content
from outcomes.record.outcome import Removed, serialised_length
from outcomes.stored.queries import StoredEvent, read_calls
from outcomes.web.addresses import named_call, opening_url


@require_safe
@member_page()
def call(request: MemberRequest, call_id: str) -> HttpResponse:
    row = named_call(request, call_id)
    same_tool = calls_of_same_tool(row)
    read = read_calls([row, *nearest(row, same_tool)])
    stored = read[0]
    seen = shown(stored)
    parents = {call.row.pk: call.folded.parent_call_id for call in read}
    attempts = attempts_among(row, same_tool, parents)
    number = number_of(row.session, row) if row.session else None
    in_doubt = is_suspected(row)
    context = {
        "page_title": f"{row.tool.name} · {row.call_id}",
        "row": row,
        "folded": seen.folded,
        "number": number,
        "to_try": call_to_try(seen, row, number=number),
        "may_write_contracts": may(request.role, Action.WRITE_CONTRACT),
        "may_write_checks": may(request.role, Action.WRITE_CHECK),
        "neighbours": neighbours_of(row),
        "attempts": attempts,
        "are_alike": len({call.arguments for call in attempts}) == 1,
        "is_of_one_turn": len({call.turn_id for call in attempts}) == 1,
        "previous": previous_of_tool(row),
        "is_late": is_late(row, timezone.now()),
        "judge": judge_of(row, stored.folded),
        "decider": decider_sentence(row, agent_check(stored.folded.metadata)),
        "sentence": call_sentence(row, is_late=is_late(row, timezone.now()), is_suspected=in_doubt),
        "in_doubt": in_doubt,
        "value_seen": _value_seen(seen),
        "verdict_reason": seen.verdict_reason,
        "before": rules_before(stored, seen.masking),
        "approvals": approvals_of(stored),
        "events": [_event(number, call, seen.masking) for number, call in enumerate(seen.events)],
        "opens": opening_url(request),
        **_became(seen),
        **_artifact(row),
    }
    return render(request, "calls/call.html", context)


def _value_seen(seen: ShownCall) -> str:
    value = seen.value
    return "" if value is None and not seen.row.check_value else json_written(value)


def _became(call: ShownCall) -> dict[str, Any]:
    outcome = call.folded.outcome
    content = None if outcome is None else outcome_to_model_content(outcome)
    has_output = outcome is not None and outcome.kind == "execution_result" and content is not None
    output = getattr(outcome, "output", None) if has_output else None
    return {
        "outcome": outcome,
        "has_output": has_output,
        "lost_output": isinstance(getattr(outcome, "output", None), Removed),
        "output": output,
        "output_is_text": has_output and isinstance(output, str),
        "output_length": serialised_length(output) if has_output else 0,
        "model_content": content,
    }


def _artifact(row: Call) -> dict[str, Any]:
    artifact = row.artifact
    return {
        "artifact": artifact,
        "preview": beginning_of(row.project_id, artifact.sha256) if artifact else None,
    }


def _event(number: int, stored: StoredEvent, masking: Masking) -> dict[str, Any]:
    item = masking.value(codec.item_of(bytes(stored.row.item)))
    return {
        "event": stored.event,
        "received_at": stored.row.received_at,
        "words": event_words(stored.event),
        "set_apart": stored.row.set_apart,
        "source": stored.source,
        "item": item,
        "place": f"/events/{number}",
        "size": len(json.dumps(item)),
    }
