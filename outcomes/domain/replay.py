"""What a turn's outcomes say about calling its tools again, and which of its calls were wasted."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from governance.domain.json_value import Json
from outcomes.domain.outcome import Outcome, ToolDenied, outcome_blocks_tool, outcome_is_error


class CallInTurn(Protocol):
    """As much of a call as this module needs to know."""

    @property
    def call_id(self) -> str: ...

    @property
    def tool_name(self) -> str: ...

    @property
    def tool_args(self) -> Json: ...

    @property
    def idempotent(self) -> bool: ...

    @property
    def outcome(self) -> Outcome | None: ...


class WasteKind(StrEnum):
    REPEATED_AFTER_SUCCESS = "repeated_after_success"
    RETRY_AFTER_NON_RETRYABLE = "retry_after_non_retryable"
    BLOCKED_TOOL_CALLED = "blocked_tool_called"
    DENIED_REPEATED = "denied_repeated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waste:
    kind: WasteKind
    call_id: str
    tool_name: str
    because_of: str  # the call that made this one useless


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Without a turn id there is no turn: only the same denied call repeated is seen."""

    turn_id: str | None
    calls: tuple[str, ...]
    blocked_tools: list[str] = field(default_factory=list)
    replay: dict[str, dict[str, list[Json]]] = field(default_factory=dict)
    waste: list[Waste] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "turn_id": self.turn_id,
            "calls": list(self.calls),
            "blocked_tools": self.blocked_tools,
            "replay": self.replay,
            "waste": [
                {
                    "kind": waste.kind.value,
                    "call_id": waste.call_id,
                    "tool_name": waste.tool_name,
                    "because_of": waste.because_of,
                }
                for waste in self.waste
            ],
        }


def read_turn(calls: Sequence[CallInTurn], *, turn_id: str | None) -> Turn:
    """Read the calls of one turn, or those of a session without one, in their order."""
    reader = _Reader(is_turn=bool(turn_id))
    for call in calls:
        reader.read(call)
    return Turn(
        turn_id=turn_id or None,
        calls=tuple(call.call_id for call in calls),
        blocked_tools=list(reader.blocked),
        replay=reader.replay,
        waste=reader.waste,
    )


# A tool and its arguments. Without arguments a call is like no other: nobody knows what it asked.
_Sameness = tuple[str, str] | None


class _Reader:
    def __init__(self, *, is_turn: bool) -> None:
        self.is_turn = is_turn
        self.replay: dict[str, dict[str, list[Json]]] = {}
        self.waste: list[Waste] = []
        self.blocked: dict[str, str] = {}  # tool -> the call that blocked it
        self.succeeded: dict[_Sameness, str] = {}  # each the first such call
        self.failed: dict[_Sameness, str] = {}
        self.failed_for_good: dict[_Sameness, str] = {}
        self.denied: dict[_Sameness, str] = {}

    def read(self, call: CallInTurn) -> None:
        same = _sameness(call)
        if found := self._wasted(call, same):
            kind, because_of = found
            waste = Waste(
                kind=kind, call_id=call.call_id, tool_name=call.tool_name, because_of=because_of
            )
            self.waste.append(waste)
        if isinstance(call.outcome, ToolDenied):
            if same:
                self.denied.setdefault(same, call.call_id)
        elif call.outcome is not None and self.is_turn:
            self._record(call, call.outcome, same)

    def _wasted(self, call: CallInTurn, same: _Sameness) -> tuple[WasteKind, str] | None:
        if call.idempotent and (earlier := self.succeeded.get(same)):
            return WasteKind.REPEATED_AFTER_SUCCESS, earlier
        if earlier := self.failed_for_good.get(same):
            return WasteKind.RETRY_AFTER_NON_RETRYABLE, earlier
        if earlier := self.blocked.get(call.tool_name):
            return WasteKind.BLOCKED_TOOL_CALLED, earlier
        if isinstance(call.outcome, ToolDenied) and (earlier := self.denied.get(same)):
            return WasteKind.DENIED_REPEATED, earlier
        return None

    def _record(self, call: CallInTurn, outcome: Outcome, same: _Sameness) -> None:
        is_error = outcome_is_error(outcome)
        blocks = outcome_blocks_tool(outcome)
        if blocks:
            self.blocked.setdefault(call.tool_name, call.call_id)
        if same is None:
            return
        if blocks:
            self.failed_for_good.setdefault(same, call.call_id)
        seen = self.failed if is_error else self.succeeded
        if same not in seen:
            seen[same] = call.call_id
            of_tool = self.replay.setdefault(call.tool_name, {"succeeded": [], "failed": []})
            of_tool["failed" if is_error else "succeeded"].append(call.tool_args)


def _sameness(call: CallInTurn) -> _Sameness:
    if call.tool_args is None:
        return None
    # The order of keys is not part of what was asked.
    return call.tool_name, json.dumps(call.tool_args, sort_keys=True, separators=(",", ":"))
