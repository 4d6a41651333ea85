"""Events of edictum SDKs: three formats and three vocabularies, detected per event.

Python ≤ 0.16 sends `verdict`, 0.17 `decision`, later ones `action`. Older SDKs put most fields in
`payload`. Neither path nor client identifies the SDK, so each event is parsed on its own.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from outcomes.record.event import (
    Allowed,
    ApprovalRejected,
    ApprovalRequested,
    ApprovalTimedOut,
    Blocked,
    Event,
    Executed,
    Failed,
    Granted,
    Note,
    Report,
    WouldBlock,
    reason_of,
    sdk_event_digest,
)
from outcomes.record.wire.posted import (
    LONGEST_MS,
    Integer,
    OptionalAgent,
    OptionalName,
    Sender,
    read_time,
    refuse_depth,
    refuse_foreign_agent,
    refuse_nul,
    verdict_of,
)
from outcomes.record.wire.refusals import MAX_WITHOUT_OUTPUT, ItemRefused

# Every action name that any SDK has used, and our name for it.
ACTIONS = {
    "call_allowed": "call_allowed",
    "call_blocked": "call_blocked",
    "call_denied": "call_blocked",
    "call_would_block": "call_would_block",
    "call_would_deny": "call_would_block",
    "call_executed": "call_executed",
    "call_failed": "call_failed",
    "call_asked": "call_asked",
    "call_approval_requested": "call_asked",
    "call_approval_granted": "call_approval_granted",
    "call_approval_blocked": "call_approval_blocked",
    "call_approval_denied": "call_approval_blocked",
    "call_approval_timeout": "call_approval_timeout",
    "workflow_stage_advanced": "workflow_stage_advanced",
    "workflow_completed": "workflow_completed",
    "workflow_state_updated": "workflow_state_updated",
    "postcondition_warning": "postcondition_warning",
    # The Go gate's own log, which has decisions but no actions.
    "allow": "call_allowed",
    "allowed": "call_allowed",
    "ask": "call_asked",
    "block": "call_blocked",
    "blocked": "call_blocked",
    "deny": "call_blocked",
    "denied": "call_blocked",
}
_NAMES = (
    "call_id tool_name agent_id session_id run_id turn_id environment decision_name"
    " decision_source mode policy_version bundle_name side_effect parent_call_id parent_session_id"
)
IDENTIFIERS = tuple(_NAMES.split())


class Item(msgspec.Struct, frozen=True):
    """Event with its payload flattened into it. Top-level fields take precedence."""

    action: str | None = None
    decision: str | None = None
    verdict: str | None = None
    call_id: OptionalName = None
    tool_name: OptionalName = None
    agent_id: OptionalAgent = None
    session_id: OptionalName = None
    run_id: OptionalName = None
    turn_id: OptionalName = None
    environment: OptionalName = None
    timestamp: str | None = None
    tool_args: Any = None
    principal: dict[str, Any] | None = None
    side_effect: OptionalName = None
    idempotent: bool | None = None
    mode: OptionalName = None
    decision_source: OptionalName = None
    decision_name: OptionalName = None
    reason: str | None = None
    error: str | None = None
    tool_success: bool | None = None
    duration_ms: float | None = None
    policy_version: OptionalName = None
    bundle_name: OptionalName = None
    call_index: Integer = None
    parent_call_id: OptionalName = None
    parent_session_id: OptionalName = None


# Created for its side effect: it caches the type information of Item. Two threads that convert
# their first items at the same time could read it half-written, which crashes.
_item = msgspec.json.Decoder(Item)
_any = msgspec.json.Decoder()
_canonical = msgspec.json.Encoder(order="deterministic")


def check(raw: bytes, sender: Sender) -> Sequence[str]:
    """Validate an event. No warnings: each SDK generation has its own fields."""
    data = _any.decode(raw)
    item = _flat(data)
    action = _action(item)
    if not item.tool_name and not _is_note(action):
        raise ItemRefused("missing_field", "`tool_name` is missing.")
    read_time(item.timestamp, sender)
    refuse_foreign_agent(item.agent_id, sender)
    refuse_nul(raw, item, IDENTIFIERS)
    refuse_depth(raw)
    if len(raw) > MAX_WITHOUT_OUTPUT:
        raise ItemRefused("too_large", "An event may have at most 1 MiB.")
    return ()


def action_of(data: dict[str, Any]) -> str:
    """Our name for the action of an accepted event."""
    return _action(_flat(data))


def read(raw: bytes, sender: Sender, order: int) -> Event:
    data = _any.decode(raw)
    item, item_hash = _flat(data), sha256(_canonical.encode(data))
    action = _action(item)
    at = read_time(item.timestamp, sender)
    # The Go gate's log has no call ids: the event itself is its identity.
    call_id = item.call_id or item_hash.hexdigest()
    agent, mode = sender.agent_of(item.agent_id), item.mode or "enforce"
    digest = item_hash.digest()
    if item.timestamp is not None:
        digest = sdk_event_digest(
            sender.environment, agent, call_id, action, item.decision_name, mode, at
        )
    return Event(
        call_id=call_id,
        tool_name=item.tool_name or "",
        agent_id=agent,
        timestamp=at,
        report=_report(action, item),
        digest=sender.own(digest, agent),
        order=order,
        from_sdk=True,
        tie=item_hash.digest(),
        bound_to=sender.agents,
        session_id=item.session_id or item.run_id or None,
        turn_id=item.turn_id or None,
        tool_args=item.tool_args,
        principal=item.principal,
        reported=verdict_of(item.tool_success),
        rule=item.decision_name or None,
        mode=mode,
        call_index=item.call_index,
        parent_call_id=item.parent_call_id or None,
        parent_session_id=item.parent_session_id or None,
        side_effect=item.side_effect or None,
        idempotent=item.idempotent,
        policy_version=item.policy_version or None,
        bundle_name=item.bundle_name or None,
        reported_environment=item.environment or None,
    )


def _flat(data: Any) -> Item:
    if not isinstance(data, dict):
        raise ItemRefused("wrong_type", "An event is a JSON object.")
    payload = data.get("payload")
    if isinstance(payload, dict):
        data = {**payload, **{key: value for key, value in data.items() if value is not None}}
    return msgspec.convert(data, Item)


def _action(item: Item) -> str:
    word = item.action or item.decision or item.verdict
    if not word:
        raise ItemRefused("missing_field", "`action` is missing (or `decision`, or `verdict`).")
    action = ACTIONS.get(word.lower())
    if action is None:
        raise ItemRefused("unknown_action", f"action: {word[:64]!r} is not an action of any SDK.")
    return action


def _is_note(action: str) -> bool:
    return action.startswith(("workflow_", "postcondition_"))


def _report(action: str, item: Item) -> Report:
    elapsed = _measured(item.duration_ms)
    details = item.reason or ""
    match action:
        case "call_executed":
            return Executed(elapsed)
        case "call_failed":
            return Failed(item.error or "", elapsed)
        case "call_blocked":
            return Blocked(reason_of(item.decision_source, "denial"), details)
        case "call_approval_blocked":
            return ApprovalRejected(details)
        case "call_approval_timeout":
            return ApprovalTimedOut(details)
        case "call_allowed":
            return Allowed()
        case "call_asked":
            return ApprovalRequested()
        case "call_approval_granted":
            return Granted()
        case "call_would_block":
            return WouldBlock()
        case _:
            return Note(action)


def _measured(duration_ms: float | None) -> float | None:
    """Measured duration. 0 means "not measured" in SDKs; impossible values count as that too."""
    return duration_ms if duration_ms and 0 < duration_ms <= LONGEST_MS else None
