"""Events that agents report about calls: one envelope around a closed union of reports."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, ClassVar, Literal

from governance.core.json_value import Json
from governance.core.verdict import Verdict
from outcomes.record.outcome import Outcome

# Agent named by neither the item nor a header. A later name is not a conflict.
UNKNOWN_AGENT = "unknown"


@dataclass(frozen=True, slots=True)
class Posted:
    """Outcome reported by the agent itself."""

    kind: ClassVar = "posted"
    strength: ClassVar = 5
    outcome: Outcome
    # For an artifact reference, which has no duration field.
    elapsed_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Executed:
    kind: ClassVar = "executed"
    strength: ClassVar = 4
    elapsed_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    kind: ClassVar = "failed"
    strength: ClassVar = 4
    error: str = ""
    elapsed_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Blocked:
    kind: ClassVar = "blocked"
    strength: ClassVar = 3
    reason: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalRejected:
    kind: ClassVar = "approval_rejected"
    strength: ClassVar = 3
    details: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalTimedOut:
    """Counts as a denial. If the timeout lets the call run, the execution is stronger anyway."""

    kind: ClassVar = "approval_timed_out"
    strength: ClassVar = 3
    details: str = ""


@dataclass(frozen=True, slots=True)
class Allowed:
    kind: ClassVar = "allowed"
    strength: ClassVar = 2


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    kind: ClassVar = "asked"
    strength: ClassVar = 2


@dataclass(frozen=True, slots=True)
class Granted:
    kind: ClassVar = "granted"
    strength: ClassVar = 2


@dataclass(frozen=True, slots=True)
class WouldBlock:
    """A rule in observe mode matched: only a flag on the call, whatever its outcome."""

    kind: ClassVar = "would_block"
    strength: ClassVar = 1


@dataclass(frozen=True, slots=True)
class Note:
    """Workflow or post-condition event: stored and shown, but no evidence about the call."""

    kind: ClassVar = "note"
    strength: ClassVar = 0
    name: str


Report = (
    Posted
    | Executed
    | Failed
    | Blocked
    | ApprovalRejected
    | ApprovalTimedOut
    | Allowed
    | ApprovalRequested
    | Granted
    | WouldBlock
    | Note
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One report by an agent about one call. `order` is the order of acceptance."""

    call_id: str
    tool_name: str
    agent_id: str
    timestamp: datetime
    report: Report
    digest: bytes
    order: int
    from_sdk: bool
    tie: bytes = b""
    bound_to: str = ""  # glob of agents that the key may report for; empty: any
    session_id: str | None = None
    turn_id: str | None = None
    tool_args: Json = None
    principal: dict[str, Any] | None = None
    reported: Verdict | None = None
    rule: str | None = None
    mode: str = "enforce"
    call_index: int | None = None
    parent_call_id: str | None = None
    parent_session_id: str | None = None
    side_effect: str | None = None
    idempotent: bool | None = None
    policy_version: str | None = None
    bundle_name: str | None = None
    reported_environment: str | None = None
    metadata: dict[str, Any] | None = None
    lost_arguments: bool = False  # retention removed them


_REASONS = {
    "yaml_precondition": "contract",
    "yaml_sandbox": "contract",
    "precondition": "contract",
    "yaml_session": "limit",
    "attempt_limit": "limit",
    "operation_limit": "limit",
    "hook": "pre_hook",
    "workflow": "workflow",
}


def reason_of(decision_source: str | None, family: Literal["denial", "approval"]) -> str:
    """Reason of a denial; an unknown source is its own reason."""
    if family == "approval":
        return "approval"
    if not decision_source:
        return "contract"
    return _REASONS.get(decision_source, decision_source)


def sdk_event_digest(
    environment: str,
    agent_id: str,
    call_id: str,
    action: str,
    decision_name: str | None,
    mode: str,
    timestamp: datetime,
) -> bytes:
    """Digest that is equal for two copies of the same SDK event."""
    # Each part is preceded by its length, so that different parts never join to the same text.
    name = "-" if decision_name is None else f"{len(decision_name)}:{decision_name}"
    text = (
        f"sdk {len(environment)}:{environment}{len(agent_id)}:{agent_id}{len(call_id)}:{call_id}"
        f"{len(action)}:{action}{name}{len(mode)}:{mode}{timestamp.isoformat()}"
    )
    return sha256(text.encode()).digest()


def outcome_digest(call_id: str, item_sha256: bytes) -> bytes:
    """Digest that is equal for two posts of one item about one call. Hashes the item as sent."""
    return sha256(b"outcome " + item_sha256 + call_id.encode()).digest()
