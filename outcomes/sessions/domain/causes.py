"""Causes of a session's trouble: denial loops, and failures grouped by their error."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from outcomes.record.brief_call import BriefCall
from outcomes.record.outcome import ToolDenied, ToolTimeout
from outcomes.sessions.domain.overview import FAILED_BY_TYPE

FOLDED_FROM: Final = 3  # times the same call was denied, as for an alert
MOST_TEXTS: Final = 3  # of one group; with more, the texts differ by numbers and ids only
LIMIT: Final = "limit"
CONTRACT: Final = "contract"
CAPS: Final = (10, 20, 50, 100, 200)  # attempts
ROOM: Final = 4  # times the calls that ran


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedDenial:
    """The same call, denied again and again."""

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
    text: str  # error as the agent reported it, else what a check says of the output
    check: str  # that decided, with its rule; empty: it failed by its type
    digest: bytes | None  # of similar failures everywhere
    calls: int
    missed: int  # reported as success by the agent
    call_id: str  # newest

    @property
    def is_timeout(self) -> bool:
        return self.kind == ToolTimeout.kind


LoopKey = tuple[str, bytes, str, str]


def denial_loops(calls: Sequence[BriefCall], *, first: int = 1) -> list[RepeatedDenial]:
    """Loops of calls in order, the longest first; `first` is the number of the first call."""
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
    """The loop a session is stuck in. One that a limit denies is the limit's doing."""
    return next((loop for loop in loops if loop.is_stuck and loop.reason != LIMIT), None)


def cap_for(executions: int, loop: RepeatedDenial) -> int | None:
    """Limit on attempts that ends such a loop and leaves room for the calls that ran; None where
    none of the usual ones does."""
    caps = (cap for cap in CAPS if cap >= ROOM * executions and loop.first < cap < loop.last)
    return next(caps, None)


def failure_groups(calls: Iterable[BriefCall]) -> list[FailureGroup]:
    """Most frequent first."""
    failed: dict[tuple[str, str, bytes | None], list[BriefCall]] = {}
    for call in calls:
        if call.verdict == "failure":
            failed.setdefault((call.tool, call.kind, call.group_digest), []).append(call)
    groups = [group for similar in failed.values() for group in _by_text(similar)]
    return sorted(groups, key=lambda group: (-group.calls, group.tool, group.text))


def _by_text(similar: list[BriefCall]) -> Iterable[FailureGroup]:
    """Split by error text where few texts differ: SMTP 451 and SMTP 421 are two errors."""
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
    """Error text of a call that failed by its type; a check's words may hold secrets, and are
    those of the group."""
    own = call.detail if call.kind in FAILED_BY_TYPE else ""
    return own or call.group_text or ""
