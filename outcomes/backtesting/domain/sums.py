"""Totals of a backtest, added up call by call; their size is bounded for any number of calls."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from outcomes.backtesting.domain.comparison import Recorded
from outcomes.backtesting.domain.session_replay import Result
from outcomes.core.moments import moment_of
from outcomes.recorded_calls.domain import DRIFT, Change, Changed, ChangedCallSample

NAMES: Final = 500  # tools, agents or rules with a row of their own
SESSIONS: Final = 200
SAMPLES: Final = 12  # per change
BUCKETS: Final = 48
OTHERS: Final = "(others)"
NOT_NAMED: Final = "(not named)"
_UNCHANGED: Final = Change.UNCHANGED.value
_ZERO: Final = dict.fromkeys([change.value for change in Change], 0)


class CallSummary(NamedTuple):
    """The parts of a call that results show."""

    call_id: str
    environment: str
    session: str
    tool: str
    agent: str
    at: int  # microseconds
    row: int  # its id


@dataclass(frozen=True, slots=True)
class Span:
    """Time from the first call to the last, divided into equal buckets."""

    first: int  # microseconds
    last: int

    def piece_of(self, at: int) -> int:
        length = self.last - self.first
        place = (at - self.first) * BUCKETS // length if length else 0
        return min(max(place, 0), BUCKETS - 1)

    def start_of(self, piece: int) -> datetime:
        return moment_of(self.first + (self.last - self.first) * piece // BUCKETS)


@dataclass(slots=True)
class Sums:
    span: Span
    counts: dict[str, int] = field(default_factory=lambda: dict(_ZERO))
    drift: int = 0
    not_replayed: dict[str, int] = field(default_factory=dict)
    by_rule: dict[str, dict[str, int]] = field(default_factory=dict)
    by_tool: dict[str, dict[str, int]] = field(default_factory=dict)
    by_agent: dict[str, dict[str, int]] = field(default_factory=dict)
    by_session: dict[str, dict[str, int]] = field(default_factory=dict)
    sessions_changed: int = 0
    observed: dict[str, int] = field(default_factory=dict)
    missing: dict[str, dict[str, int]] = field(default_factory=dict)  # by rule, then field
    pieces: list[dict[str, int]] = field(default_factory=list)
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    changed_calls: ChangedCallSample = field(default_factory=ChangedCallSample)

    @property
    def calls(self) -> int:
        return sum(self.counts.values())

    def add(
        self,
        call: CallSummary,
        recorded: Recorded,
        result: Result,
        *,
        drifted: bool,
        observed: Iterable[str] = (),
    ) -> None:
        change = result.change.value
        self.counts[change] += 1
        _row(self.by_tool, call.tool)[change] += 1
        _row(self.by_agent, call.agent)[change] += 1
        self._piece(call.at)[change] += 1
        for rule in observed:
            self.observed[rule] = self.observed.get(rule, 0) + 1
        if drifted:
            self.drift += 1
            self._show(DRIFT, recorded.rule or NOT_NAMED, call, recorded, result)
        if result.change is not Change.UNCHANGED:
            rule = _rule_behind(recorded, result)
            _row(self.by_rule, rule)[change] += 1
            self._show(change, rule, call, recorded, result)

    def leave(self, tool: str, agent: str, at: int) -> None:
        """Count an unchanged call that needs no details."""
        self.counts[_UNCHANGED] += 1
        _row(self.by_tool, tool)[_UNCHANGED] += 1
        _row(self.by_agent, agent)[_UNCHANGED] += 1
        self._piece(at)[_UNCHANGED] += 1

    def leave_out(self, reason: str) -> None:
        if reason not in self.not_replayed and len(self.not_replayed) >= NAMES:
            reason = OTHERS
        self.not_replayed[reason] = self.not_replayed.get(reason, 0) + 1

    def lack(self, rule: str, what: str) -> None:
        row = self.missing.setdefault(rule, {})
        row[what] = row.get(what, 0) + 1

    def end_session(self, environment: str, session: str, counts: dict[str, int]) -> None:
        """Add a session if it has changes; the table keeps those with the most."""
        changed = sum(counts.values()) - counts.get(Change.UNCHANGED, 0)
        if not changed:
            return
        self.sessions_changed += 1
        self.by_session[f"{environment}/{session}"] = dict(_ZERO) | counts
        if len(self.by_session) > 2 * SESSIONS:
            self._keep_most_changed()

    def as_json(self) -> dict[str, Any]:
        self._keep_most_changed()
        return {
            "not_replayed": self.not_replayed,
            "by_rule": self.by_rule,
            "by_tool": self.by_tool,
            "by_agent": self.by_agent,
            "by_session": self.by_session,
            "sessions_changed": self.sessions_changed,
            "observed": self.observed,
            "missing": self.missing,
            "over_time": [
                {"at": self.span.start_of(place).isoformat(), **counts}
                for place, counts in enumerate(self.pieces)
            ],
            "samples": self.samples,
            "kept": len(self.changed_calls),
        }

    def _piece(self, at: int) -> dict[str, int]:
        if not self.pieces:
            self.pieces = [dict(_ZERO) for _ in range(BUCKETS)]
        return self.pieces[self.span.piece_of(at)]

    def _keep_most_changed(self) -> None:
        rows = sorted(self.by_session.items(), key=_most_changed)
        self.by_session = dict(rows[:SESSIONS])

    def _show(
        self, kind: str, behind: str, call: CallSummary, recorded: Recorded, result: Result
    ) -> None:
        ruling = result.ruling
        changed = Changed(
            call=call.row,
            at=call.at,
            change=kind,
            behind=behind,
            was=recorded.decision.value,
            was_rule=recorded.rule,
            now=ruling.decision.value,
            rule=ruling.rule or ruling.output_rule,
            output=ruling.output,
            tool=call.tool,
            agent=call.agent,
            session=f"{call.environment}/{call.session}" if call.session else "",
        )
        self.changed_calls.offer(changed)
        self._sample(kind, call, changed)

    def _sample(self, kind: str, call: CallSummary, changed: Changed) -> None:
        sampled = self.samples.setdefault(kind, [])
        if len(sampled) >= SAMPLES:
            return
        sampled.append(
            {
                "call_id": call.call_id,
                "environment": call.environment,
                "session_id": call.session or None,
                "tool_name": call.tool,
                "agent_id": call.agent,
                "timestamp": moment_of(call.at).isoformat(),
                "was": changed.was,
                "was_rule": changed.was_rule or None,
                "now": changed.now,
                "rule": changed.rule or None,
                "output": changed.output,
            }
        )


def _rule_behind(recorded: Recorded, result: Result) -> str:
    """Rule that causes a change; for a newly allowed call, the rule that denied it as recorded."""
    ruling = result.ruling
    if result.change is Change.NEWLY_ALLOWED or (
        result.change is Change.UNDETERMINED and not ruling.rule
    ):
        return recorded.rule or NOT_NAMED
    return ruling.rule or ruling.output_rule or NOT_NAMED


def _row(table: dict[str, dict[str, int]], name: str) -> dict[str, int]:
    if name not in table and len(table) >= NAMES:
        name = OTHERS
    row = table.get(name)
    if row is None:
        row = table[name] = dict(_ZERO)
    return row


def _most_changed(row: tuple[str, dict[str, int]]) -> tuple[int, str]:
    name, counts = row
    return counts[Change.UNCHANGED] - sum(counts.values()), name
