"""Overview of a session: turns, waste, denials and times, from a few columns of each call.

Arguments are compared by digest, so that a session of thousands of calls can be read in one go.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from outcomes.record.brief_call import BriefCall
from outcomes.record.outcome import (
    Outcome,
    ToolDenied,
    ToolExecutionResult,
    ToolFailure,
    ToolTimeout,
)
from outcomes.sessions.domain.repeats import Turn, WasteKind, read_turn

FOLDED_FROM: Final = 3  # denials of the same call; the same number raises an alert
MOST_TEXTS: Final = 3  # per group; with more, the texts differ only in numbers and ids
LIMIT: Final = "limit"
CONTRACT: Final = "contract"
CAPS: Final = (10, 20, 50, 100, 200)  # attempts
ROOM: Final = 4  # a cap is at least this many times the calls that ran


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedDenial:
    """The same call, denied repeatedly."""

    tool: str
    rule: str
    reason: str
    message: str  # as the agent got it
    times: int
    first: int  # number of its first call in the session
    last: int
    first_at: datetime
    last_at: datetime
    call: int  # row of the newest one
    call_id: str
    is_stuck: bool  # from its first denial on, the session did little else

    @property
    def interval(self) -> timedelta:
        return (self.last_at - self.first_at) / max(self.times - 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Failures of one tool with the same error."""

    tool: str
    kind: str
    text: str  # error reported by the agent, else the check's message
    check: str  # deciding check and its rule; empty if the outcome type is a failure
    digest: bytes | None  # shared by similar failures in all sessions
    calls: int
    missed: int  # reported as success by the agent
    call_id: str  # newest

    @property
    def is_timeout(self) -> bool:
        return self.kind == ToolTimeout.kind


LoopKey = tuple[str, bytes, str, str]


def denial_loops(calls: Sequence[BriefCall], *, first: int = 1) -> list[RepeatedDenial]:
    """Denial loops in calls given in order, longest first; `first` numbers the first call."""
    places: dict[LoopKey, list[int]] = {}
    for place, call in enumerate(calls):
        if call.kind == ToolDenied.kind and call.arguments is not None:
            key = call.tool, call.arguments, call.reason, call.rule
            places.setdefault(key, []).append(place)
    loops = [_loop(calls, at, first) for at in places.values() if len(at) >= FOLDED_FROM]
    return sorted(loops, key=lambda loop: (-loop.times, loop.first))


def _loop(calls: Sequence[BriefCall], places: list[int], first: int) -> RepeatedDenial:
    oldest, newest = calls[places[0]], calls[places[-1]]
    return RepeatedDenial(
        tool=newest.tool,
        rule=newest.rule,
        reason=newest.reason,
        message=newest.detail,
        times=len(places),
        first=first + places[0],
        last=first + places[-1],
        first_at=oldest.at,
        last_at=newest.at,
        call=newest.id,
        call_id=newest.call_id,
        is_stuck=2 * len(places) >= len(calls) - places[0],
    )


def stuck_in(loops: Iterable[RepeatedDenial]) -> RepeatedDenial | None:
    """Loop that a session is stuck in. A loop denied by a limit doesn't count: it ends the
    session."""
    return next((loop for loop in loops if loop.is_stuck and loop.reason != LIMIT), None)


def cap_for(executions: int, loop: RepeatedDenial) -> int | None:
    """Limit on attempts from `CAPS` that ends the loop and leaves room for the calls that ran;
    None if none does both."""
    caps = (cap for cap in CAPS if cap >= ROOM * executions and loop.first < cap < loop.last)
    return next(caps, None)


def failure_groups(calls: Iterable[BriefCall]) -> list[FailureGroup]:
    """Failed calls grouped by tool and error, most frequent first."""
    failed: dict[tuple[str, str, bytes | None], list[BriefCall]] = {}
    for call in calls:
        if call.verdict == "failure":
            failed.setdefault((call.tool, call.kind, call.group_digest), []).append(call)
    groups = [group for similar in failed.values() for group in _by_text(similar)]
    return sorted(groups, key=lambda group: (-group.calls, group.tool, group.text))


def _by_text(similar: list[BriefCall]) -> Iterable[FailureGroup]:
    """Split by error text if there are few texts: SMTP 451 and SMTP 421 are two errors."""
    texts = Counter(_text(call) for call in similar)
    if len(texts) > MOST_TEXTS:
        yield _group(similar, similar[-1].group_text or "")
        return
    for text in texts:
        yield _group([call for call in similar if _text(call) == text], text)


def _group(calls: list[BriefCall], text: str) -> FailureGroup:
    newest = calls[-1]
    return FailureGroup(
        tool=newest.tool,
        kind=newest.kind,
        text=text,
        check=f"{newest.check_name}: {newest.check_rule}" if newest.check_rule else "",
        digest=newest.group_digest,
        calls=len(calls),
        missed=sum(call.reported == "success" for call in calls),
        call_id=newest.call_id,
    )


def _text(call: BriefCall) -> str:
    """Error text of a call whose outcome type is a failure, else the group's text: a check's own
    message may hold secrets."""
    own = call.detail if call.kind in FAILED_BY_TYPE else ""
    return own or call.group_text or ""


@dataclass(slots=True)
class Results:
    ran: int = 0
    successes: int = 0
    failures: int = 0
    unknown: int = 0

    def count(self, call: BriefCall) -> None:
        self.ran += 1
        self.successes += call.verdict == "success"
        self.failures += call.verdict == "failure"
        self.unknown += call.verdict == "unknown"


@dataclass(frozen=True, slots=True)
class BlockedTool:
    tool: str
    calls_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLine:
    """Results and denials include calls without a turn ID that came before the next turn."""

    number: int  # as the strip numbers turns
    turn_id: str
    first_at: datetime
    first: int  # the numbers of its first and last call
    last: int
    calls: int
    results: Results
    denied: int
    adopted: int  # calls without a turn ID
    reasons: list[str]
    blocked: list[BlockedTool]
    wasted: int


@dataclass(slots=True)
class WasteLine:
    kind: WasteKind
    ran: bool
    calls: int = 0
    elapsed_ms: float = 0.0
    by_tool: Counter[str] = field(default_factory=Counter)

    @property
    def tools(self) -> list[tuple[str, int]]:
        return self.by_tool.most_common()


@dataclass(slots=True)
class DenialLine:
    reason: str
    calls: int = 0
    details: str = ""
    by: Counter[str] = field(default_factory=Counter)  # the rule, or else the tool

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.by.most_common()]


@dataclass(slots=True)
class Overview:
    calls: int
    first: int  # the number of the first call that was read; more than 1 when not all were
    results: Results = field(default_factory=Results)
    checked: int = 0  # ran, and a check gave a verdict
    missed: int = 0  # failures that the agent reported as success
    unsaid: int = 0  # failures with neither a report by the agent nor a failure type
    turns: list[TurnLine] = field(default_factory=list)
    waste: list[WasteLine] = field(default_factory=list)
    denials: list[DenialLine] = field(default_factory=list)
    artifacts: list[tuple[int, BriefCall]] = field(default_factory=list)
    elapsed_ms: float = 0.0
    measured: int = 0
    timeouts: int = 0
    timeouts_ms: float = 0.0

    @property
    def without_turn(self) -> int:
        return self.calls - sum(turn.calls for turn in self.turns)

    @property
    def adopted(self) -> int:
        """Calls without a turn ID that are counted in the previous turn."""
        return sum(turn.adopted for turn in self.turns)

    @property
    def wasted(self) -> int:
        return sum(line.calls for line in self.waste)


FAILED_BY_TYPE: Final = (ToolTimeout.kind, ToolFailure.kind)

# Turns use only the type of an outcome, and whether it blocks its tool.
_ANY: Final[dict[str, Any]] = {"call_id": "", "tool_name": ""}
_RAN: Final[Outcome] = ToolExecutionResult(**_ANY)
_FAILED: Final[Outcome] = ToolFailure(**_ANY)
_FAILED_FOR_GOOD: Final[Outcome] = ToolFailure(**_ANY, retryable=False)
_DENIED: Final[Outcome] = ToolDenied(**_ANY, reason="")


class _InTurn(NamedTuple):
    """A call in the form that `read_turn` expects, with its position as id."""

    call_id: str
    tool_name: str
    tool_args: str | None
    idempotent: bool
    outcome: Outcome | None


def overview_of(calls: Sequence[BriefCall], *, first: int = 1) -> Overview:
    """Overview of calls in order; `first` is the number of the first one."""
    overview = Overview(len(calls), first)
    turns: dict[str, list[int]] = {}
    adopted: dict[str, list[int]] = {}
    turn = ""
    denials: dict[str, DenialLine] = {}
    for place, call in enumerate(calls):
        turns.setdefault(call.turn_id, []).append(place)
        turn = call.turn_id or turn
        if not call.turn_id:
            adopted.setdefault(turn, []).append(place)
        if call.kind == ToolDenied.kind:
            line = denials.setdefault(call.reason, DenialLine(call.reason))
            line.calls += 1
            line.details = call.detail or line.details
            line.by[call.rule or call.tool] += 1
        elif call.kind:
            _count(overview, call, first + place)
    overview.denials = sorted(denials.values(), key=lambda line: -line.calls)
    waste: dict[tuple[WasteKind, bool], WasteLine] = {}
    wasted: set[int] = set()  # positions
    reads: dict[str, Turn] = {}
    for turn_id, places in turns.items():
        read = read_turn([_in_turn(place, calls[place]) for place in places], turn_id=turn_id)
        _add_waste(waste, read, calls)
        wasted.update(int(each.call_id) for each in read.waste)
        reads[turn_id] = read
    for turn_id in filter(None, turns):
        numbered = [(first + n, calls[n]) for n in turns[turn_id]]
        others = adopted.get(turn_id, [])
        row = _line(len(overview.turns) + 1, reads[turn_id], numbered, [calls[n] for n in others])
        overview.turns.append(replace(row, wasted=row.wasted + len(wasted.intersection(others))))
    overview.waste = sorted(waste.values(), key=lambda line: -line.calls)
    return overview


def _count(overview: Overview, call: BriefCall, number: int) -> None:
    overview.results.count(call)
    overview.checked += call.classified in ("success", "failure")
    if call.verdict == "failure":
        overview.missed += call.reported == "success"
        overview.unsaid += not call.reported and call.kind not in FAILED_BY_TYPE
    if call.kind == "artifact_reference":
        overview.artifacts.append((number, call))
    if call.elapsed_ms is not None:
        overview.measured += 1
        overview.elapsed_ms += call.elapsed_ms
    if call.kind == "timeout":
        overview.timeouts += 1
        overview.timeouts_ms += call.elapsed_ms or 0.0


def _in_turn(place: int, call: BriefCall) -> _InTurn:
    arguments = None if call.arguments is None else call.arguments.hex()
    return _InTurn(str(place), call.tool, arguments, call.idempotent, _outcome(call))


def _outcome(call: BriefCall) -> Outcome | None:
    match call.kind:
        case "":
            return None
        case ToolDenied.kind:
            return _DENIED
        case "timeout" | "failure":
            return _FAILED_FOR_GOOD if call.blocks_tool else _FAILED
        case _:
            return _RAN


def _add_waste(
    waste: dict[tuple[WasteKind, bool], WasteLine], turn: Turn, calls: Sequence[BriefCall]
) -> None:
    for wasted in turn.waste:
        call = calls[int(wasted.call_id)]
        line = waste.setdefault((wasted.kind, call.ran), WasteLine(wasted.kind, call.ran))
        line.calls += 1
        line.elapsed_ms += call.elapsed_ms or 0.0
        line.by_tool[call.tool] += 1


def _line(
    number: int, turn: Turn, numbered: list[tuple[int, BriefCall]], adopted: list[BriefCall]
) -> TurnLine:
    results = Results()
    denied: Counter[str] = Counter()
    for call in [*(call for _, call in numbered), *adopted]:
        if call.kind == ToolDenied.kind:
            denied[call.reason] += 1
        elif call.kind:
            results.count(call)
    after = Counter(
        waste.tool_name for waste in turn.waste if waste.kind == WasteKind.BLOCKED_TOOL_CALLED
    )
    return TurnLine(
        number=number,
        turn_id=turn.turn_id or "",
        first_at=numbered[0][1].at,
        first=numbered[0][0],
        last=numbered[-1][0],
        calls=len(numbered),
        results=results,
        denied=denied.total(),
        adopted=len(adopted),
        reasons=[reason for reason, _ in denied.most_common()],
        blocked=[BlockedTool(tool, after[tool]) for tool in turn.blocked_tools],
        wasted=len(turn.waste),
    )
