"""Converts audit events of any edictum version to the console's flat format and current names."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from edictum_site_client.masking import Masking
from edictum_site_client.values import Withheld, jsonable

if TYPE_CHECKING:
    from edictum_site_client.console import Console

ACTIONS = {
    "call_denied": "call_blocked",
    "call_would_deny": "call_would_block",
    "call_approval_requested": "call_asked",
    "call_approval_denied": "call_approval_blocked",
}
_SHARED = (
    "call_id tool_name tool_args environment side_effect tool_success policy_version call_index"
    " parent_call_id parent_session_id"
)
SHARED = _SHARED.split()
RENAMED = {"contracts_evaluated": "rules_evaluated"}
# The SDK fills these with constants, which would look like measured values.
NEVER_MEASURED = frozenset(("duration_ms", "result_summary"))


def action_of(event: Any) -> str:
    return str(getattr(event.action, "value", event.action))


def event_of(event: Any, console: Console) -> dict[str, Any]:
    names = [field.name for field in fields(event)] if is_dataclass(event) else list(vars(event))
    event_fields: dict[str, Any] = {}
    for name in names:
        value = getattr(event, name)
        if value is not None and name not in NEVER_MEASURED:
            event_fields[RENAMED.get(name, name)] = value
    event_fields |= {"action": ACTIONS.get(action_of(event), action_of(event))}
    event_fields |= {"agent_id": console.agent_id, "timestamp": event.timestamp.isoformat()}
    args = event_fields.pop("tool_args", None)
    plain: dict[str, Any] = jsonable(event.tool_name, event_fields, console.masking.for_events)
    if args is not None and console.masking.arguments:
        plain["tool_args"] = _masked(event.tool_name, args, console.masking)
    return plain


def about_call(event: Any, console: Console) -> dict[str, Any]:
    """Fields of an outcome item that describe the call."""
    shared = {name: getattr(event, name, None) for name in SHARED}
    principal, masking = getattr(event, "principal", None), console.masking.for_events
    return shared | {
        "agent_id": console.agent_id,
        "session_id": getattr(event, "session_id", None) or getattr(event, "run_id", None),
        "timestamp": event.timestamp.isoformat(),
        "principal": None if principal is None else _masked("", principal, masking),
    }


def _masked(tool_name: str, value: Any, masking: Masking) -> Any:
    try:
        return jsonable(tool_name, value, masking)
    except Withheld as why:
        return {"withheld": str(why)}
