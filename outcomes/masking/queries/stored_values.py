"""Unmasked values of a call, approval, invalid item or agent report, for people who may reveal
masked values."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from governance.approvals.queries import approval_coded
from governance.core.json_value import Json
from outcomes.models import AgentReport, RejectedItem
from outcomes.record.codec import item_of
from outcomes.record.model_content import outcome_to_model_content
from outcomes.record.outcome import NotReported
from outcomes.record.wire.reports import unpacked_report
from outcomes.stored.queries import StoredCall, call_named, read_calls

_OUTCOME: Final = ("output", "error", "reason", "details", "summary")


@dataclass(frozen=True, slots=True)
class Stored:
    subject: str
    environment: str
    value: dict[str, Json]


def stored_call(project_id: int, call_id: str, environment: str) -> Stored | None:
    row = call_named(project_id, call_id, environment)
    calls = read_calls([row]) if row else []
    return Stored(call_id, calls[0].row.environment.name, call_values(calls[0])) if calls else None


def stored_item(project_id: int, number: str, environment: str) -> Stored | None:
    items = RejectedItem.objects.filter(project=project_id, pk=_number(number))
    item = items.select_related("environment").first()
    if item is None:
        return None
    excerpt = bytes(item.excerpt).decode("utf-8", "replace")
    value: dict[str, Json] = {"detail": item.detail, "excerpt": excerpt}
    return Stored(str(item.pk), item.environment.name, value)


def stored_report(project_id: int, number: str, environment: str) -> Stored | None:
    rows = AgentReport.objects.filter(environment__project=project_id, pk=_number(number))
    row = rows.select_related("environment").first()
    if row is None:
        return None
    return Stored(str(row.pk), row.environment.name, unpacked_report(bytes(row.body)))


def stored_approval(project_id: int, code: str, environment: str) -> Stored | None:
    approval = approval_coded(project_id, code)
    if approval is None:
        return None
    value: dict[str, Json] = {"tool_args": dict(approval.raw_arguments())}
    return Stored(code, approval.environment.name, value)


KINDS: Final[dict[str, Callable[[int, str, str], Stored | None]]] = {
    "call": stored_call,
    "approval": stored_approval,
    "rejected": stored_item,
    "report": stored_report,
}


def call_values(stored: StoredCall) -> dict[str, Json]:
    row, call, outcome = stored.row, stored.folded, stored.folded.outcome
    value: dict[str, Json] = {
        "tool_args": call.tool_args,
        "principal": call.principal,
        "metadata": call.metadata,
        "verdict_reason": row.verdict_reason,
        "value": _written(row.check_value),
        "events": [item_of(bytes(event.row.item)) for event in stored.events],
    }
    for name in _OUTCOME:
        if not isinstance(value_of := getattr(outcome, name, None), NotReported | None):
            value[name] = value_of
    if outcome is not None:
        value["model_content"] = outcome_to_model_content(outcome)
    return value


def _written(text: str) -> Json:
    """Value that a check read: JSON, or the beginning of a long one as text."""
    try:
        value: Json = json.loads(text) if text else None
    except ValueError:
        return text
    return value


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 19 else 0
