"""Repeated calls of a session: how many were wasted, and which denied call repeated most often.

The state is stored with the session and advanced call by call, so it identifies calls by short
digests and keeps only the newest marks.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, TypeVar

from governance.core.json_value import Json
from outcomes.record.outcome import (
    Outcome,
    ToolDenied,
    ToolFailure,
    ToolTimeout,
    outcome_blocks_tool,
    outcome_is_error,
)

REMEMBERED: Final = 1_000  # marks; enough for the calls of nearly all sessions
DENIED_CALLS: Final = 100  # distinct ones
_DIGEST: Final = 6  # bytes; digests of turn, tool and arguments are XORed
_MOST: Final = 2 ** (8 * _DIGEST) - 1
_APART: Final = 0x9E3779B97F4B  # odd, so that no two tools collide
_DENIED: Final = ToolDenied.kind
_ERRORS: Final = (ToolTimeout.kind, ToolFailure.kind)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


class RequestedCall(NamedTuple):
    """One requested call, with its tool as a number and its arguments as a digest."""

    id: int
    at: datetime
    turn: str
    tool: int
    kind: str
    arguments: bytes | None
    idempotent: bool
    blocks_tool: bool


@dataclass(frozen=True, slots=True)
class DenialLoop:
    """Repeated denials of the same call in a session, across turns and other calls."""

    times: int
    first_at: datetime
    last_at: datetime
    call: int  # the last of them


class Repeats:
    __slots__ = ("_denied", "_marks", "waste")

    def __init__(self) -> None:
        self.waste = 0
        self._marks: dict[tuple[Mark, int], bool] = {}
        self._denied: dict[int, list[int]] = {}  # times, first, last, and the last call

    def advance(self, call: RequestedCall) -> None:
        """Record the session's next call."""
        turn, denied = call.turn, call.kind == _DENIED
        if not turn and not denied:
            return
        tool = _turn_digest(turn) ^ call.tool * _APART & _MOST
        asks = None if call.arguments is None else int.from_bytes(call.arguments[-_DIGEST:])
        same = None if asks is None else tool ^ asks
        marks = self._marks
        if waste_of(marks, tool=tool, same=same, idempotent=call.idempotent, denied=denied):
            self.waste += 1
        if denied:
            leave_denied(marks, same, cause=True)
            if asks is not None:
                self._deny(call, call.tool * _APART & _MOST ^ asks)
        elif call.kind:
            is_error = call.kind in _ERRORS
            leave_ran(
                marks,
                cause=True,
                tool=tool,
                same=same,
                is_error=is_error,
                blocks=call.blocks_tool,
            )
        while len(marks) > REMEMBERED:
            del marks[next(iter(marks))]

    def _deny(self, call: RequestedCall, key: int) -> None:
        at = (call.at - _EPOCH) // _TICK
        loop = self._denied.get(key)
        if loop is None:
            if len(self._denied) >= DENIED_CALLS:
                least = min(self._denied, key=lambda denied: self._denied[denied][::2])
                del self._denied[least]
            self._denied[key] = [1, at, at, call.id]
            return
        loop[0] += 1
        loop[2], loop[3] = at, call.id

    def longest_loop(self) -> DenialLoop | None:
        """Longest loop of denied calls, the newest among equals; None without a repetition."""
        times, first, last, call = max(
            self._denied.values(), key=lambda loop: loop[::2], default=[0, 0, 0, 0]
        )
        if times < 2:
            return None
        return DenialLoop(times, _EPOCH + first * _TICK, _EPOCH + last * _TICK, call)

    def state(self) -> dict[str, Any]:
        """State to resume from, as JSON values."""
        marks = b"".join(mark.encode() + key.to_bytes(_DIGEST) for mark, key in self._marks)
        denied = [[key, *loop] for key, loop in self._denied.items()]
        return {"waste": self.waste, "marks": b64encode(marks).decode(), "denied": denied}

    @classmethod
    def resumed(cls, state: Mapping[str, Any]) -> Self:
        repeats = cls()
        repeats.waste = state["waste"]
        marks, length = b64decode(state["marks"]), 1 + _DIGEST
        for start in range(0, len(marks), length):
            mark: Mark = chr(marks[start])  # type: ignore[assignment]  # one of those it wrote
            repeats._marks[mark, int.from_bytes(marks[start + 1 : start + length])] = True
        repeats._denied = {key: loop for key, *loop in state["denied"]}
        return repeats


@lru_cache(maxsize=4_096)
def _turn_digest(turn: str) -> int:
    return int.from_bytes(
        blake2b(turn.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()
    )


class WasteKind(StrEnum):
    REPEATED_AFTER_SUCCESS = "repeated_after_success"
    RETRY_AFTER_NON_RETRYABLE = "retry_after_non_retryable"
    BLOCKED_TOOL_CALLED = "blocked_tool_called"
    DENIED_REPEATED = "denied_repeated"


# Looked up for every call: accessing an enum member is slower than a plain string.
Mark = Literal["s", "f", "b", "d"]
SUCCEEDED: Final = "s"
FAILED_FOR_GOOD: Final = "f"
BLOCKED: Final = "b"  # the tool, with any arguments
DENIED: Final = "d"

CallKey = TypeVar("CallKey")  # a tool and its arguments, or a tool, in one turn
Cause = TypeVar("Cause")


def waste_of(
    marks: Mapping[tuple[Mark, CallKey], Cause],
    *,
    tool: CallKey,
    same: CallKey | None,
    idempotent: bool,
    denied: bool,
) -> tuple[WasteKind, Cause] | None:
    """Kind and cause of a call's waste, or None. `same` is None if the arguments are unknown: such
    a call equals no other."""
    if same is not None:
        if idempotent and (cause := marks.get((SUCCEEDED, same))) is not None:
            return WasteKind.REPEATED_AFTER_SUCCESS, cause
        if (cause := marks.get((FAILED_FOR_GOOD, same))) is not None:
            return WasteKind.RETRY_AFTER_NON_RETRYABLE, cause
    if (cause := marks.get((BLOCKED, tool))) is not None:
        return WasteKind.BLOCKED_TOOL_CALLED, cause
    if denied and same is not None and (cause := marks.get((DENIED, same))) is not None:
        return WasteKind.DENIED_REPEATED, cause
    return None


def leave_denied(
    marks: MutableMapping[tuple[Mark, CallKey], Cause], same: CallKey | None, cause: Cause
) -> None:
    if same is not None:
        marks.setdefault((DENIED, same), cause)


def leave_ran(
    marks: MutableMapping[tuple[Mark, CallKey], Cause],
    cause: Cause,
    *,
    tool: CallKey,
    same: CallKey | None,
    is_error: bool,
    blocks: bool,
) -> None:
    """Add the marks of a call that ran; only for calls in a turn."""
    if blocks:
        marks.setdefault((BLOCKED, tool), cause)
    if same is None:
        return
    if blocks:
        marks.setdefault((FAILED_FOR_GOOD, same), cause)
    if not is_error:
        marks.setdefault((SUCCEEDED, same), cause)


class CallInTurn(Protocol):
    """The parts of a call that this module needs."""

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
    """Waste and replay record of one turn. For calls without a turn id, only repeated denials are
    detected."""

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
    """Read the calls of one turn, or a session's calls without a turn id, given in order."""
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
        self.marks: dict[tuple[Mark, _CallKey], str] = {}  # with the first call that set each
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
    """Key shared by equal calls; None without arguments, since such a call equals no other."""
    if call.tool_args is None:
        return None
    # Arguments that differ only in key order are equal.
    return call.tool_name, json.dumps(call.tool_args, sort_keys=True, separators=(",", ":"))
