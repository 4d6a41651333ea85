"""Item of POST outcomes: an outcome reported by its agent."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Annotated, Any, Literal, assert_never

import msgspec
from msgspec import UNSET, Meta, UnsetType

from governance.core.verdict import Verdict
from outcomes.record.event import Event, Posted, outcome_digest
from outcomes.record.outcome import (
    NOT_REPORTED,
    REPORTED_AS_FAILED,
    Outcome,
    ToolArtifactReference,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
    summary_of,
)
from outcomes.record.wire.refusals import MAX_WITHOUT_OUTPUT, ItemRefused
from outcomes.record.wire.sender import (
    Sender,
    read_time,
    refuse_depth,
    refuse_foreign_agent,
    refuse_nul,
)

Name = Annotated[str, Meta(min_length=1, max_length=1024)]
OptionalName = Annotated[str, Meta(max_length=1024)] | None
OptionalAgent = Annotated[str, Meta(max_length=128)] | None
LONGEST_MS = 10**15  # thirty thousand years
Measure = (
    Annotated[int, Meta(ge=0, le=LONGEST_MS)] | Annotated[float, Meta(ge=0, le=float(LONGEST_MS))]
) | None
Integer = Annotated[int, Meta(ge=-(2**62), le=2**62)] | None

_NAMES = (
    "call_id tool_name agent_id session_id run_id turn_id reason artifact_id environment"
    " decision_name policy_version bundle_name side_effect parent_call_id parent_session_id"
)
IDENTIFIERS = tuple(_NAMES.split())


class Item(msgspec.Struct, frozen=True):
    type: Literal["execution_result", "timeout", "failure", "denied", "artifact_reference"]
    call_id: Name
    tool_name: Name
    output: Any = UNSET
    error: str | None = None
    reason: OptionalName = None
    details: str | None = None
    artifact_id: OptionalName = None
    summary: str | None = None
    size_bytes: Annotated[int, Meta(ge=0, le=2**62)] | None = None
    deadline_s: Measure = None
    elapsed_ms: Measure = None
    retryable: bool | None = None
    was_coerced: bool | None = None
    agent_id: OptionalAgent = None
    session_id: OptionalName = None
    run_id: OptionalName = None
    turn_id: OptionalName = None
    environment: OptionalName = None
    timestamp: str | None = None
    tool_args: Any = None
    principal: dict[str, Any] | None = None
    idempotent: bool | None = None
    side_effect: OptionalName = None
    tool_success: bool | None = None
    policy_version: OptionalName = None
    bundle_name: OptionalName = None
    decision_name: OptionalName = None
    call_index: Integer = None
    parent_call_id: OptionalName = None
    parent_session_id: OptionalName = None
    metadata: dict[str, Any] | None = None


class _KnownKeysOnly(Item, frozen=True, forbid_unknown_fields=True):
    pass


FIELDS = frozenset(Item.__struct_fields__)
_item = msgspec.json.Decoder(Item)
_known_keys_only = msgspec.json.Decoder(_KnownKeysOnly)
_any = msgspec.json.Decoder()
_canonical = msgspec.json.Encoder(order="deterministic")


def check(raw: bytes, sender: Sender) -> Sequence[str]:
    """Names of the item's unknown fields."""
    item, unknown = _decoded(raw)
    if item.type == "denied" and not item.reason:
        raise ItemRefused("missing_field", "A denial needs its `reason`.")
    if item.type == "artifact_reference" and not item.artifact_id:
        raise ItemRefused("missing_field", "An artifact reference needs its `artifact_id`.")
    read_time(item.timestamp, sender)
    refuse_foreign_agent(item.agent_id, sender)
    refuse_nul(raw, item, IDENTIFIERS)
    refuse_depth(raw)
    if len(raw) > MAX_WITHOUT_OUTPUT:
        _refuse_size(raw)
    return unknown


def _refuse_size(raw: bytes) -> None:
    """Only an output becomes an artifact; whatever stands beside it is shown in every list."""
    rest = {name: value for name, value in _any.decode(raw).items() if name != "output"}
    if len(msgspec.json.encode(rest)) > MAX_WITHOUT_OUTPUT:
        raise ItemRefused("too_large", "An item may have at most 1 MiB in addition to its output.")


def _decoded(raw: bytes) -> tuple[Item, Sequence[str]]:
    try:
        return _known_keys_only.decode(raw), ()
    except msgspec.ValidationError:
        # What stands under an unknown key is passed over unread here, but kept, hashed and shown:
        # text that is no UTF-8 or a number beyond range in it would spoil the batch later.
        data = _any.decode(raw)
        return _item.decode(raw), [name for name in data if name not in FIELDS]


def read(raw: bytes, sender: Sender, order: int) -> Event:
    data = _any.decode(raw)
    item_hash = sha256(_canonical.encode(data)).digest()
    item = msgspec.convert(data, Item)
    agent = sender.agent_of(item.agent_id)
    return Event(
        call_id=item.call_id,
        tool_name=item.tool_name,
        agent_id=agent,
        timestamp=read_time(item.timestamp, sender),
        report=Posted(_outcome(item), item.elapsed_ms),
        digest=sender.own(outcome_digest(item.call_id, item_hash), agent),
        order=order,
        from_sdk=False,
        tie=item_hash,
        bound_to=sender.agents,
        session_id=item.session_id or item.run_id or None,
        turn_id=item.turn_id or None,
        tool_args=item.tool_args,
        principal=item.principal,
        reported=verdict_of(item.tool_success),
        rule=item.decision_name or None,
        call_index=item.call_index,
        parent_call_id=item.parent_call_id or None,
        parent_session_id=item.parent_session_id or None,
        side_effect=item.side_effect or None,
        idempotent=item.idempotent,
        policy_version=item.policy_version or None,
        bundle_name=item.bundle_name or None,
        reported_environment=item.environment or None,
        metadata=item.metadata,
    )


def verdict_of(tool_success: bool | None) -> Verdict | None:  # noqa: FBT001 - the wire's own value
    if tool_success is None:
        return None
    return Verdict.SUCCESS if tool_success else Verdict.FAILURE


def _outcome(item: Item) -> Outcome:
    call, tool = item.call_id, item.tool_name
    match item.type:
        case "execution_result":
            return ToolExecutionResult(
                call_id=call,
                tool_name=tool,
                output=NOT_REPORTED if isinstance(item.output, UnsetType) else item.output,
                elapsed_ms=item.elapsed_ms,
                was_coerced=bool(item.was_coerced),
            )
        case "timeout":
            return ToolTimeout(
                call_id=call,
                tool_name=tool,
                deadline_s=item.deadline_s,
                elapsed_ms=item.elapsed_ms,
                retryable=item.retryable is not False,
            )
        case "failure":
            return ToolFailure(
                call_id=call,
                tool_name=tool,
                error=item.error or REPORTED_AS_FAILED,
                retryable=item.retryable is not False,
                elapsed_ms=item.elapsed_ms,
            )
        case "denied":
            return ToolDenied(
                call_id=call,
                tool_name=tool,
                reason=item.reason or "",
                details=item.details or "",
            )
        case "artifact_reference":
            return ToolArtifactReference(
                call_id=call,
                tool_name=tool,
                artifact_id=item.artifact_id or "",
                summary=summary_of(item.summary or ""),
                size_bytes=item.size_bytes or 0,
            )
        case _ as never:
            assert_never(never)
