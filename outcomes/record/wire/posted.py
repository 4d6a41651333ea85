"""Item of POST outcomes: an outcome reported by its agent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any, Literal, assert_never

import msgspec
from msgspec import UNSET, Meta, UnsetType

from governance.core.verdict import Verdict
from governance.matching.globs import glob_matches
from outcomes.record.event import UNKNOWN_AGENT, Event, Posted, outcome_digest
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

Source = Literal["outcomes", "events"]

MAX_DEPTH = 100
_EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(hours=24)
_NUL = b"\\u0000"
_any = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Sender:
    environment: str
    agent: str  # from the header; an item's own agent takes precedence
    agents: str  # glob of agents that the key is bound to; empty: any
    received_at: datetime

    def agent_of(self, item_agent: str | None) -> str:
        return item_agent or self.agent or UNKNOWN_AGENT

    def own(self, digest: bytes, agent: str) -> bytes:
        """Digest of an event that differs for keys bound to other agents. Otherwise, if another key
        sent the same item first, this event would be dropped as a repeat."""
        return sha256(digest + agent.encode()).digest() if self.agents else digest


def read_time(text: str | None, sender: Sender) -> datetime:
    """Timestamp of an item in UTC, or the time of the post if the item has none."""
    if text is None:
        return sender.received_at
    try:
        at = datetime.fromisoformat(text)
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ItemRefused(
            "invalid_time", f"timestamp: {text[:64]!r} is not an ISO 8601 time."
        ) from None
    if at < _EARLIEST or at > sender.received_at + _AHEAD:
        raise ItemRefused(
            "time_out_of_range",
            f"timestamp: {text[:64]!r} is before 2000 or more than 24 hours ahead.",
        )
    return at


def refuse_foreign_agent(item_agent: str | None, sender: Sender) -> None:
    """Reject items for other agents than the key is bound to, and items that name no agent."""
    if not sender.agents:
        return
    if not item_agent and not sender.agent:
        raise ItemRefused(
            "agent_required",
            f"agent_id: this key is bound to {sender.agents!r}. Name the agent in the item or"
            " in the header X-Edictum-Agent-Id.",
        )
    if item_agent and not glob_matches(sender.agents, item_agent):
        raise ItemRefused("foreign_agent", f"agent_id: this key is bound to {sender.agents!r}.")


def refuse_nul(raw: bytes, item: Any, identifiers: tuple[str, ...]) -> None:
    """Reject NUL in names, which are compared and indexed as text. In values it is allowed."""
    if _NUL not in raw:
        return
    for name in identifiers:
        value = getattr(item, name)
        if isinstance(value, str) and "\0" in value:
            raise ItemRefused("nul_in_identifier", f"{name}: NUL is not allowed in a name.")


def refuse_depth(raw: bytes) -> None:
    # No level without a bracket, so counting them accepts nearly all items at once.
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    # All of the item, including unknown keys: they are stored and shown too.
    level: list[Any] = [_any.decode(raw)]
    for _ in range(MAX_DEPTH):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return
    raise ItemRefused("too_deep", f"The item is nested more than {MAX_DEPTH} levels deep.")


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (inner for inner in value.values() if isinstance(inner, dict | list))
    elif isinstance(value, list):
        yield from (inner for inner in value if isinstance(inner, dict | list))


Name = Annotated[str, Meta(min_length=1, max_length=1024)]
OptionalName = Annotated[str, Meta(max_length=1024)] | None
OptionalAgent = Annotated[str, Meta(max_length=128)] | None
LONGEST_MS = 10**15  # about 31,700 years
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
_canonical = msgspec.json.Encoder(order="deterministic")


def check(raw: bytes, sender: Sender) -> Sequence[str]:
    """Validate an item and return the names of its unknown fields."""
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
    """Reject large fields other than the output, the only one that can become an artifact."""
    rest = {name: value for name, value in _any.decode(raw).items() if name != "output"}
    if len(msgspec.json.encode(rest)) > MAX_WITHOUT_OUTPUT:
        raise ItemRefused("too_large", "An item may have at most 1 MiB in addition to its output.")


def _decoded(raw: bytes) -> tuple[Item, Sequence[str]]:
    try:
        return _known_keys_only.decode(raw), ()
    except msgspec.ValidationError:
        # Values of unknown keys are not decoded here but are stored, hashed and shown: invalid
        # UTF-8 or a number out of range in them would break the batch later.
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
