"""Counts and limits of a session, advanced call by call or rebuilt from the start."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Self

from governance.contracts.domain.limit_use import LimitCounter, LimitUse, limit_denying
from governance.core.session_limits import (
    MaxAttempts,
    MaxExecutions,
    MaxExecutionsOfTool,
    SessionLimit,
    name_of,
)
from governance.core.verdict import Verdict
from outcomes.record.classification import disagrees
from outcomes.record.outcome import ToolDenied
from outcomes.record.session_step import Step

Limits = tuple[SessionLimit, ...]

# Looked up for every call: accessing an enum member is slower than a global.
_SUCCESS, _FAILURE = Verdict.SUCCESS, Verdict.FAILURE
_DENIED = ToolDenied.kind

# A session's state is read and written with each of its calls, so its size must be bounded.
MOST_NAMES = 500
OTHERS = "(others)"
UNJUDGED = "unjudged"  # stopped, but unknown whether that was right


class SessionTally:
    """Counts, denials and limit usage of a session, for given limits.

    `earlier` holds the limits of versions that governed earlier calls; such a limit is listed once
    a denial refers to it.
    """

    __slots__ = (
        "_built_for",
        "_current",
        "_earlier",
        "_limits",
        "_on_all",
        "_on_attempts",
        "_on_tool",
        "attempts",
        "consecutive_failures",
        "denials",
        "denied",
        "disagreements",
        "executions",
        "executions_by_tool",
        "failures",
        "from_sdk",
        "open",
        "successes",
        "successes_by_tool",
        "unknown",
    )
    _STORED = tuple(name for name in __slots__ if not name.startswith("_"))

    def __init__(self, limits: Limits, earlier: Mapping[int, Limits] | None = None) -> None:
        self.attempts = self.executions = self.successes = self.failures = self.unknown = 0
        self.denied = self.open = self.consecutive_failures = self.disagreements = 0
        self.from_sdk = False
        self.denials: dict[str, int] = {}
        self.executions_by_tool: dict[str, int] = {}
        self.successes_by_tool: dict[str, int] = {}

        counters = {_identity(limit): LimitCounter(limit) for limit in limits}
        self._current = list(counters.values())
        self._earlier = {
            # A limit that several versions share is counted once.
            version: [counters.setdefault(_identity(limit), LimitCounter(limit)) for limit in older]
            for version, older in sorted((earlier or {}).items())
        }
        self._limits = list(counters.values())
        self._on_attempts = [c for c in self._limits if isinstance(c.limit, MaxAttempts)]
        self._on_all = [c for c in self._limits if isinstance(c.limit, MaxExecutions)]
        self._on_tool: dict[str, list[LimitCounter]] = {}
        for counter in self._limits:
            if isinstance(counter.limit, MaxExecutionsOfTool):
                self._on_tool.setdefault(counter.limit.tool, []).append(counter)
        built_for = repr((limits, sorted((earlier or {}).items())))
        self._built_for = sha256(built_for.encode()).hexdigest()[:16]

    def advance(self, step: Step) -> None:
        """Count the session's next call."""
        self.attempts = number = self.attempts + 1
        from_sdk = step.from_sdk
        if from_sdk:
            self.from_sdk = True
        for counter in self._on_attempts:
            if from_sdk or not counter.limit.assumed:
                counter.count(number)
        if not step.kind:
            self.open += 1
        elif step.kind == _DENIED:
            self._deny(step, number)
        else:
            self._execute(step, number)

    def _deny(self, step: Step, number: int) -> None:
        self.denied += 1
        _count(self.denials, step.reason, 1)
        if step.reason != "limit":
            return
        governing = self._current
        if step.version is not None:
            governing = self._earlier.get(step.version, governing)
        applying = [c for c in governing if step.from_sdk or not c.limit.assumed]
        counter = limit_denying(applying, step.rule, step.tool)
        if counter is not None:
            counter.stop(number)

    def _execute(self, step: Step, number: int) -> None:
        tool, verdict, reported, checked = step.tool, step.verdict, step.reported, step.checked
        success = verdict == _SUCCESS
        self.executions += 1
        _count(self.executions_by_tool, tool, 1)
        _count(self.successes_by_tool, tool, success)
        if success:
            self.successes += 1
            self.consecutive_failures = 0
        elif verdict == _FAILURE:
            self.failures += 1
            self.consecutive_failures += 1
        else:
            self.unknown += 1
        if disagrees(reported, verdict):
            self.disagreements += 1
        counters = self._on_all
        if tool in self._on_tool:
            counters = counters + self._on_tool[tool]
        for counter in counters:
            if step.from_sdk or not counter.limit.assumed:
                counter.count(
                    number, reported=reported == _SUCCESS, classified=success, checked=checked
                )

    def swap(self, before: Step, after: Step) -> None:
        """Replace the verdict of a counted call. Figures that depend on call order must then be
        set with `put_in_order`."""
        for step, sign in ((before, -1), (after, 1)):
            success = step.verdict == _SUCCESS
            if success:
                self.successes += sign
            elif step.verdict == _FAILURE:
                self.failures += sign
            else:
                self.unknown += sign
            if disagrees(step.reported, step.verdict):
                self.disagreements += sign
            _count(self.successes_by_tool, step.tool, sign * success)
            for counter in (*self._on_all, *self._on_tool.get(step.tool, ())):
                if step.from_sdk or not counter.limit.assumed:
                    counter.classified += sign * success

    def put_in_order(
        self, failures_at_the_end: int, read: Iterable[tuple[int | None, bool]]
    ) -> None:
        """Set the call at which each limit is reached, and whether a check classified a call it
        counts."""
        self.consecutive_failures = failures_at_the_end
        for counter, (reached, checked) in zip(self._limits, read, strict=True):
            if not isinstance(counter.limit, MaxAttempts):
                counter.at_classified, counter.checked = reached, checked

    @property
    def limits_counted(self) -> Limits:
        return tuple(counter.limit for counter in self._limits)

    def counts(self) -> dict[str, Any]:
        return {
            "attempts": self.attempts,
            "executions": self.executions,
            "successes": self.successes,
            "failures": self.failures,
            "unknown": self.unknown,
            "denied": self.denied,
            "open": self.open,
            "consecutive_failures": self.consecutive_failures,
            "executions_by_tool": dict(self.executions_by_tool),
            "successes_by_tool": dict(self.successes_by_tool),
        }

    def limits(self) -> list[LimitUse]:
        """The limits in force, and the earlier ones that stopped a call."""
        current = [c for c in self._current if self.from_sdk or not c.limit.assumed]
        earlier = [c for c in self._limits[len(self._current) :] if c.stopped_at is not None]
        return [counter.use() for counter in current + earlier]

    def stopped(self) -> str:
        """Judgement of the first limit that stopped the session; empty if none did."""
        if "limit" not in self.denials:
            return ""
        stops = [use for use in self.limits() if use.stopped_at is not None]
        first = min(stops, key=lambda use: use.stopped_at or 0, default=None)
        return (first and first.judgement) or UNJUDGED

    def limit_name(self) -> str:
        """First limit that stopped the session, else the first one reached by the agent's count;
        empty if none is known."""
        counters = [c for c in self._limits if c.stopped_at is not None]
        if counters:
            return name_of(min(counters, key=lambda c: c.stopped_at or 0).limit)
        counters = [c for c in self._current if c.at_counted is not None]
        if counters:
            return name_of(min(counters, key=lambda c: c.at_counted or 0).limit)
        return ""

    def state(self) -> dict[str, Any]:
        """State to resume from, as JSON values."""
        state: dict[str, Any] = {name: _copy(getattr(self, name)) for name in self._STORED}
        limits = [counter.state() for counter in self._limits]
        return state | {"built_for": self._built_for, "limits": limits}

    @classmethod
    def resumed(
        cls, state: Mapping[str, Any], limits: Limits, earlier: Mapping[int, Limits] | None = None
    ) -> Self | None:
        """Resume from a state; None when it was built for other limits or by other code."""
        tally = cls(limits, earlier)
        known = state.keys() == {*cls._STORED, "built_for", "limits"}
        if not known or state["built_for"] != tally._built_for:
            return None
        for name in cls._STORED:
            setattr(tally, name, _copy(state[name]))
        for counter, limit_state in zip(tally._limits, state["limits"], strict=True):
            counter.resume(limit_state)
        return tally


def _count(counts: dict[str, int], name: str, number: int) -> None:
    """Count by name; names beyond MOST_NAMES are counted together."""
    if name not in counts and len(counts) >= MOST_NAMES:
        name = OTHERS
    counts[name] = counts.get(name, 0) + number


def _identity(limit: SessionLimit) -> tuple[str, str | None, int, bool]:
    return limit.kind, limit.tool, limit.value, limit.assumed


def _copy(value: Any) -> Any:
    return dict(value) if isinstance(value, dict) else value
