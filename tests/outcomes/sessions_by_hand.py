"""Sessions counted by hand: what the three countings, turns and waste mean, worked out the long way
round. Nothing here is the product's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=UTC)
VERSIONS: Final[dict[str, dict[str, Any]]] = {
    "": {},  # none is known
    "strict": {"max_tool_calls": 2, "max_calls_per_tool": {"send": 1}},
    "wide": {"max_attempts": 5, "max_tool_calls": 3},
    "of tools": {"max_calls_per_tool": {"query": 2, "send": 1}},
}
OF_THE_SDK: Final = {"max_attempts": 500, "max_tool_calls": 200}
# What became of a call: the item that says it, its classified verdict, whether it blocks its tool.
POSTED: Final[dict[str, tuple[dict[str, Any], str, bool]]] = {
    "good": ({"output": {"rows": 1}}, "success", False),
    "silent": ({"output": "Error: no such table"}, "failure", False),
    "untold": ({}, "", False),
    "late": ({"type": "timeout"}, "failure", False),
    "too late": ({"type": "timeout", "retryable": False}, "failure", True),
    "broken": ({"type": "failure", "error": "x"}, "failure", False),
    "broken for good": ({"type": "failure", "error": "x", "retryable": False}, "failure", True),
    "limit": ({"type": "denied", "reason": "limit"}, "", False),
    "contract": ({"type": "denied", "reason": "contract"}, "", False),
}
# What an SDK says in the end: its action, and what that says of success.
OF_AN_SDK: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "executed": ({"action": "call_executed"}, "success"),
    "failed": ({"action": "call_failed"}, "failure"),
    "sdk limit": ({"action": "call_blocked", "decision_source": "operation_limit"}, ""),
    "sdk contract": ({"action": "call_blocked", "decision_source": "yaml_precondition"}, ""),
}
DENIED: Final = ("limit", "contract", "sdk limit", "sdk contract")


class Limit(NamedTuple):
    kind: str
    tool: str | None
    value: int
    assumed: bool

    @property
    def name(self) -> str:
        """What the SDKs call it."""
        return f"{self.kind}:{self.tool}" if self.tool else self.kind


def limits_of(version: str) -> list[Limit]:
    stated = VERSIONS[version]
    found = [
        Limit(kind, None, stated[kind], assumed=False) for kind in OF_THE_SDK if kind in stated
    ]
    found += [
        Limit("max_calls_per_tool", tool, value, assumed=False)
        for tool, value in stated.get("max_calls_per_tool", {}).items()
    ]
    return found + [
        Limit(kind, None, value, assumed=True)
        for kind, value in OF_THE_SDK.items()
        if kind not in stated
    ]


@dataclass(frozen=True, kw_only=True)
class Told:
    """One call as it is told of in the end. `begun` by an SDK: it was allowed first."""

    id: str
    second: int
    index: int
    tool: str
    became: str
    said: bool | None
    begun: bool
    version: str
    args: Any
    turn: str
    idempotent: bool
    rule: str  # the limit that a denial is for

    @property
    def sends(self) -> list[tuple[str, dict[str, Any]]]:
        """What is posted of it and where to, one after the other or the other way round."""
        about = {
            "call_id": self.id,
            "tool_name": self.tool,
            "tool_args": self.args,
            "agent_id": "bot",
            "session_id": "s",
            "turn_id": self.turn or None,
            "idempotent": self.idempotent,
            "call_index": self.index,
            "policy_version": self.version or None,
        }
        at = NOON + timedelta(seconds=self.second)
        denied = {"decision_name": self.rule} if self.became in DENIED else {}
        said = {} if self.said is None or denied else {"tool_success": self.said}
        begins = about | {"action": "call_allowed", "timestamp": at.isoformat()}
        ends = about | denied | said | {"timestamp": (at + timedelta(seconds=0.5)).isoformat()}
        found = [("events", begins)] if self.begun or self.became == "open" else []
        if self.became in POSTED:
            found.append(("outcomes", {"type": "execution_result"} | ends | POSTED[self.became][0]))
        elif self.became in OF_AN_SDK:
            found.append(("events", ends | OF_AN_SDK[self.became][0]))
        return found


@dataclass(frozen=True)
class Known:
    """A call as far as it was told of; `place` is how many were told of before."""

    told: Told
    began: bool
    ended: bool
    place: int

    @property
    def key(self) -> tuple[float, int, int]:
        later = 0.0 if self.began else 0.5
        return self.told.second + later, self.told.index, self.place

    @property
    def became(self) -> str:
        return self.told.became if self.ended else "open"

    @property
    def is_denied(self) -> bool:
        return self.became in DENIED

    @property
    def ran(self) -> bool:
        return self.became != "open" and not self.is_denied

    @property
    def from_sdk(self) -> bool:
        return self.began or self.became in OF_AN_SDK

    @property
    def reported(self) -> str:
        if self.told.said is not None:
            return "success" if self.told.said else "failure"
        return OF_AN_SDK[self.became][1] if self.became in OF_AN_SDK else ""

    @property
    def classified(self) -> str:
        if self.became == "failed":  # a failure is one, whatever anybody says
            return "failure"
        return POSTED[self.became][1] if self.became in POSTED else ""

    @property
    def verdict(self) -> str:
        """No check is bound: a failure if the type, the agent or the default check says so."""
        if "failure" in (self.classified, self.reported):
            return "failure"
        return self.classified or self.reported or "unknown"

    @property
    def is_error(self) -> bool:
        return self.became in ("late", "too late", "broken", "broken for good", "failed")

    @property
    def blocks(self) -> bool:
        return self.became in POSTED and POSTED[self.became][2]


def in_order(known: Sequence[Known]) -> list[Known]:
    return sorted(known, key=lambda call: call.key)


def counts_of(calls: Sequence[Known]) -> dict[str, Any]:
    ran = [call for call in calls if call.ran]
    in_a_row = 0
    for call in ran:
        if call.verdict == "success":
            in_a_row = 0
        in_a_row += call.verdict == "failure"
    tools = {call.told.tool for call in ran}
    good = [call for call in ran if call.verdict == "success"]
    return {
        "attempts": len(calls),
        "executions": len(ran),
        "successes": len(good),
        "failures": sum(call.verdict == "failure" for call in ran),
        "unknown": sum(call.verdict == "unknown" for call in ran),
        "denied": sum(call.is_denied for call in calls),
        "open": sum(call.became == "open" for call in calls),
        "consecutive_failures": in_a_row,
        "executions_by_tool": {tool: sum(call.told.tool == tool for call in ran) for tool in tools},
        "successes_by_tool": {tool: sum(call.told.tool == tool for call in good) for tool in tools},
    }


def limits_told(calls: Sequence[Known]) -> list[dict[str, Any]]:
    """Those of the version that governed the last call, and any other that a denial refers to."""
    last = calls[-1].told.version
    sdk = any(call.from_sdk for call in calls)
    listed = {limit: None for limit in limits_of(last) if sdk or not limit.assumed}
    stopped = {
        limit: at
        for version in VERSIONS
        for limit in limits_of(version)
        if (at := _stopped_at(calls, limit, last)) is not None
    }
    return [_told(calls, limit, stopped.get(limit)) for limit in listed | stopped]


def _stopped_at(calls: Sequence[Known], limit: Limit, last: str) -> int | None:
    for number, call in enumerate(calls, start=1):
        # Where nobody knows what governed a call, it is read against the same as the last one.
        governed = limits_of(call.told.version or last)
        if (
            call.became in ("limit", "sdk limit")
            and call.told.rule == limit.name
            and limit in governed
            and (call.from_sdk or not limit.assumed)
        ):
            return number
    return None


def _told(calls: Sequence[Known], limit: Limit, stopped_at: int | None) -> dict[str, Any]:
    numbered = [
        (number, call)
        for number, call in enumerate(calls, start=1)
        if call.from_sdk or not limit.assumed
    ]
    if limit.kind == "max_attempts":
        countings = {"attempts": [number for number, _ in numbered]}
    else:
        ran = [each for each in numbered if each[1].ran]
        ran = [each for each in ran if limit.tool in (None, each[1].told.tool)]
        countings = {
            "executions": [number for number, _ in ran],
            "reported": [number for number, call in ran if call.reported == "success"],
            "classified": [number for number, call in ran if call.verdict == "success"],
        }
    reached = {
        name: those[limit.value - 1] if len(those) >= limit.value else None
        for name, those in countings.items()
    }
    judgement = None
    if limit.kind != "max_attempts" and any(call.classified for _, call in ran):
        due, went_on = reached["classified"], max(countings["executions"])
        if stopped_at is not None and (due is None or due > stopped_at):
            judgement = "premature"
        elif due is not None and went_on > due:
            judgement = "delayed"
        elif stopped_at is not None or any(reached.values()):
            judgement = "right"
    return {
        "limit": limit.kind,
        "tool": limit.tool,
        "value": limit.value,
        "used": {name: len(those) for name, those in countings.items()},
        "reached_at": reached,
        "stopped_at": stopped_at,
        "judgement": judgement,
        "assumed": limit.assumed,
    }


def wasted(calls: Sequence[Known]) -> list[str]:
    """Which calls need not have been made, by what came before each in its turn."""
    return [call.told.id for place, call in enumerate(calls) if _is_waste(call, calls[:place])]


def _is_waste(call: Known, earlier: Sequence[Known]) -> bool:
    told = call.told
    in_turn = [each for each in earlier if each.told.turn == told.turn]
    of_tool = [each for each in in_turn if each.told.tool == told.tool]
    same = [each for each in of_tool if told.args is not None and each.told.args == told.args]
    if call.is_denied and any(each.is_denied for each in same):
        return True
    if not told.turn:
        return False
    again = told.idempotent and any(each.ran and not each.is_error for each in same)
    return again or any(each.blocks for each in of_tool)


def turns_of(calls: Sequence[Known]) -> list[dict[str, Any]]:
    """In the order they began, each with its blocked tools and its record of what was asked."""
    return [
        _turn([call for call in calls if call.told.turn == turn])
        for turn in dict.fromkeys(call.told.turn for call in calls)
    ]


def _turn(calls: Sequence[Known]) -> dict[str, Any]:
    turn = calls[0].told.turn
    record: dict[str, dict[str, list[Any]]] = {}
    for call in calls if turn else ():
        if call.ran and call.told.args is not None:
            of_tool = record.setdefault(call.told.tool, {"succeeded": [], "failed": []})
            kept = of_tool["failed" if call.is_error else "succeeded"]
            kept += [] if call.told.args in kept else [call.told.args]
    blocked = [call.told.tool for call in calls if call.blocks and turn]
    return {
        "turn_id": turn or None,
        "calls": [call.told.id for call in calls],
        "blocked_tools": list(dict.fromkeys(blocked)),
        "replay": record,
    }
