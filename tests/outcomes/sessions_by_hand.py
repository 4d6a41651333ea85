"""Reference implementation of session counts, turns and waste for tests, without product code."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

NOON: Final = datetime(2026, 11, 18, 12, tzinfo=UTC)
VERSIONS: Final[dict[str, dict[str, Any]]] = {
    "": {},  # no known version
    "strict": {"max_tool_calls": 2, "max_calls_per_tool": {"send": 1}},
    "wide": {"max_attempts": 5, "max_tool_calls": 3},
    "of tools": {"max_calls_per_tool": {"query": 2, "send": 1}},
}
# In the order in which SDKs evaluate them.
KINDS: Final = ("max_attempts", "max_tool_calls", "max_calls_per_tool")
SDK_LIMITS: Final = {"max_attempts": 500, "max_tool_calls": 200}
# Outcome of a call: the posted fields, the classified verdict, and whether it blocks its tool.
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
# Final event of an SDK: the action, and the verdict that it implies.
SDK_EVENTS: Final[dict[str, tuple[dict[str, Any], str]]] = {
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
        """Name of the limit as SDKs report it."""
        return f"{self.kind}:{self.tool}" if self.tool else self.kind


def limits_of(version: str) -> list[Limit]:
    stated = VERSIONS[version]
    limits = [
        Limit(kind, None, stated[kind], assumed=False) for kind in SDK_LIMITS if kind in stated
    ]
    limits += [
        Limit("max_calls_per_tool", tool, value, assumed=False)
        for tool, value in stated.get("max_calls_per_tool", {}).items()
    ]
    return limits + [
        Limit(kind, None, value, assumed=True)
        for kind, value in SDK_LIMITS.items()
        if kind not in stated
    ]


@dataclass(frozen=True, kw_only=True)
class ReportedCall:
    """A call as finally reported. If `begun`, an SDK first reported that it was allowed."""

    id: str
    second: int
    index: int
    tool: str
    became: str
    flag: bool | None
    begun: bool
    version: str
    args: Any
    turn: str
    idempotent: bool
    rule: str  # the limit that a denial names

    @property
    def sends(self) -> list[tuple[str, dict[str, Any]]]:
        """Posts about the call, in order."""
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
        flag = {} if self.flag is None or denied else {"tool_success": self.flag}
        begins = about | {"action": "call_allowed", "timestamp": at.isoformat()}
        ends = about | denied | flag | {"timestamp": (at + timedelta(seconds=0.5)).isoformat()}
        posts = [("events", begins)] if self.begun or self.became == "open" else []
        if self.became in POSTED:
            posts.append(("outcomes", {"type": "execution_result"} | ends | POSTED[self.became][0]))
        elif self.became in SDK_EVENTS:
            posts.append(("events", ends | SDK_EVENTS[self.became][0]))
        return posts


@dataclass(frozen=True)
class Known:
    """A call of which something was reported; `place` is the number of calls reported before it."""

    call: ReportedCall
    began: bool
    ended: bool
    place: int

    @property
    def key(self) -> tuple[float, int, int]:
        later = 0.0 if self.began else 0.5
        return self.call.second + later, self.call.index, self.place

    @property
    def became(self) -> str:
        return self.call.became if self.ended else "open"

    @property
    def is_denied(self) -> bool:
        return self.became in DENIED

    @property
    def ran(self) -> bool:
        return self.became != "open" and not self.is_denied

    @property
    def from_sdk(self) -> bool:
        return self.began or self.became in SDK_EVENTS

    @property
    def reported(self) -> str:
        if self.call.flag is not None:
            return "success" if self.call.flag else "failure"
        return SDK_EVENTS[self.became][1] if self.became in SDK_EVENTS else ""

    @property
    def classified(self) -> str:
        if self.became == "failed":  # a failure outcome is always a failure
            return "failure"
        return POSTED[self.became][1] if self.became in POSTED else ""

    @property
    def verdict(self) -> str:
        """Without a bound check, a failure if the type, the agent or the default check says so."""
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
    tools = {call.call.tool for call in ran}
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
        "executions_by_tool": {tool: sum(call.call.tool == tool for call in ran) for tool in tools},
        "successes_by_tool": {tool: sum(call.call.tool == tool for call in good) for tool in tools},
    }


def expected_limits(calls: Sequence[Known]) -> list[dict[str, Any]]:
    """Limits of the version that governed the last call, and others that denials refer to."""
    last = calls[-1].call.version
    sdk = any(call.from_sdk for call in calls)
    listed = {limit: None for limit in limits_of(last) if sdk or not limit.assumed}
    stopped = {
        limit: at
        for version in VERSIONS
        for limit in limits_of(version)
        if (at := _stopped_at(calls, limit, last)) is not None
    }
    return [_expected_limit(calls, limit, stopped.get(limit)) for limit in listed | stopped]


def _stopped_at(calls: Sequence[Known], limit: Limit, last: str) -> int | None:
    for number, call in enumerate(calls, start=1):
        if call.became in ("limit", "sdk limit") and _denying(calls[:number], last) == limit:
            return number
    return None


def _denying(calls: Sequence[Known], last: str) -> Limit | None:
    """Limit for which the last of these calls was denied: the one it names, else the first one hit,
    else the most likely one of its contract."""
    denied = calls[-1]
    # A call without a known version is measured against the version of the last call.
    governed = [
        limit
        for kind in KINDS
        for limit in limits_of(denied.call.version or last)
        if limit.kind == kind and (denied.from_sdk or not limit.assumed)
    ]
    named = [limit for limit in governed if limit.name == denied.call.rule]
    if named:
        return named[0]
    of_its_tool = [limit for limit in governed if limit.tool in (None, denied.call.tool)]
    reached = [limit for limit in of_its_tool if _counted(calls, limit) >= limit.value]
    stated = [limit for limit in of_its_tool if not limit.assumed]
    likely = sorted(stated, key=lambda limit: limit.kind == "max_attempts")
    return next(iter(reached or likely), None)


def _counted(calls: Sequence[Known], limit: Limit) -> int:
    counted = [call for call in calls if call.from_sdk or not limit.assumed]
    if limit.kind != "max_attempts":
        counted = [call for call in counted if call.ran and limit.tool in (None, call.call.tool)]
    return len(counted)


def _expected_limit(calls: Sequence[Known], limit: Limit, stopped_at: int | None) -> dict[str, Any]:
    numbered = [
        (number, call)
        for number, call in enumerate(calls, start=1)
        if call.from_sdk or not limit.assumed
    ]
    if limit.kind == "max_attempts":
        countings = {"attempts": [number for number, _ in numbered]}
    else:
        ran = [entry for entry in numbered if entry[1].ran]
        ran = [entry for entry in ran if limit.tool in (None, entry[1].call.tool)]
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
    """Calls that were waste, judging by the earlier calls of their turn."""
    return [call.call.id for place, call in enumerate(calls) if _is_waste(call, calls[:place])]


def _is_waste(call: Known, earlier: Sequence[Known]) -> bool:
    reported = call.call
    in_turn = [before for before in earlier if before.call.turn == reported.turn]
    same_tool = [before for before in in_turn if before.call.tool == reported.tool]
    same = [
        before
        for before in same_tool
        if reported.args is not None and before.call.args == reported.args
    ]
    if call.is_denied and any(before.is_denied for before in same):
        return True
    if not reported.turn:
        return False
    again = reported.idempotent and any(before.ran and not before.is_error for before in same)
    return again or any(before.blocks for before in same_tool)


def turns_of(calls: Sequence[Known]) -> list[dict[str, Any]]:
    """Turns in order of their first call, each with its blocked tools and replay record."""
    return [
        _turn([call for call in calls if call.call.turn == turn])
        for turn in dict.fromkeys(call.call.turn for call in calls)
    ]


def _turn(calls: Sequence[Known]) -> dict[str, Any]:
    turn = calls[0].call.turn
    record: dict[str, dict[str, list[Any]]] = {}
    for call in calls if turn else ():
        if call.ran and call.call.args is not None:
            record_of_tool = record.setdefault(call.call.tool, {"succeeded": [], "failed": []})
            arguments = record_of_tool["failed" if call.is_error else "succeeded"]
            arguments += [] if call.call.args in arguments else [call.call.args]
    blocked = [call.call.tool for call in calls if call.blocks and turn]
    return {
        "turn_id": turn or None,
        "calls": [call.call.id for call in calls],
        "blocked_tools": list(dict.fromkeys(blocked)),
        "replay": record,
    }
