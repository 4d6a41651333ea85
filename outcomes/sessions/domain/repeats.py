"""Repeated calls of a session: how many were wasted, and which denied call came most often.

Stored with the session and advanced call by call, so calls are known by short digests, and of very
many marks only the newest are kept.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, NamedTuple, Self

from outcomes.record.outcome import ToolDenied, ToolFailure, ToolTimeout
from outcomes.sessions.domain.waste import Mark, leave_denied, leave_ran, waste_of

REMEMBERED: Final = 1_000  # marks, of more calls than nearly all sessions have
DENIED_CALLS: Final = 100  # that differ
_DIGEST: Final = 6  # bytes; those of a turn, a tool and arguments are laid over one another
_MOST: Final = 2 ** (8 * _DIGEST) - 1
_APART: Final = 0x9E3779B97F4B  # odd, so that no two tools are the same
_DENIED: Final = ToolDenied.kind
_ERRORS: Final = (ToolTimeout.kind, ToolFailure.kind)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TICK: Final = timedelta(microseconds=1)


class RequestedCall(NamedTuple):
    """One call as it asks for something: its tool by a number, its arguments by their digest."""

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
    """The same call of a session, denied again: whatever came between, in whichever turn."""

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
        """One more call, the next one in the order of the session."""
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
