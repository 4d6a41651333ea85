"""Replay record and waste of a turn, from its outcomes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from governance.core.json_value import Json
from outcomes.record.outcome import Outcome, ToolDenied, outcome_blocks_tool, outcome_is_error
from outcomes.sessions.domain.waste import (
    BLOCKED,
    Mark,
    WasteKind,
    leave_denied,
    leave_ran,
    waste_of,
)


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
        blocked_tools=reader.blocked,
        replay=reader.replay,
        waste=reader.waste,
    )


# A tool and its arguments, or a tool alone.
_CallKey = tuple[str, ...]


class _Reader:
    def __init__(self, *, is_turn: bool) -> None:
        self.is_turn = is_turn
        self.replay: dict[str, dict[str, list[Json]]] = {}
        self.waste: list[Waste] = []
        self.marks: dict[tuple[Mark, _CallKey], str] = {}  # each with the first call that left it
        self.recorded: set[tuple[_CallKey, bool]] = set()

    @property
    def blocked(self) -> list[str]:
        return [key[0] for mark, key in self.marks if mark == BLOCKED]

    def read(self, call: CallInTurn) -> None:
        tool, same = (call.tool_name,), _sameness(call)
        denied = isinstance(call.outcome, ToolDenied)
        if match := waste_of(
            self.marks, tool=tool, same=same, idempotent=call.idempotent, denied=denied
        ):
            kind, because_of = match
            waste = Waste(
                kind=kind, call_id=call.call_id, tool_name=call.tool_name, because_of=because_of
            )
            self.waste.append(waste)
        if denied:
            leave_denied(self.marks, same, call.call_id)
        elif call.outcome is not None and self.is_turn:
            self._record(call, call.outcome, same)

    def _record(self, call: CallInTurn, outcome: Outcome, same: _CallKey | None) -> None:
        is_error = outcome_is_error(outcome)
        leave_ran(
            self.marks,
            call.call_id,
            tool=(call.tool_name,),
            same=same,
            is_error=is_error,
            blocks=outcome_blocks_tool(outcome),
        )
        if same is not None and (same, is_error) not in self.recorded:
            self.recorded.add((same, is_error))
            record = self.replay.setdefault(call.tool_name, {"succeeded": [], "failed": []})
            record["failed" if is_error else "succeeded"].append(call.tool_args)


def _sameness(call: CallInTurn) -> _CallKey | None:
    """Key of equal calls; None without arguments, which are equal to no others."""
    if call.tool_args is None:
        return None
    # The order of keys is not part of what was asked.
    return call.tool_name, json.dumps(call.tool_args, sort_keys=True, separators=(",", ":"))
