"""Replay of one session under other limits, call by call, in all three ways of counting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from governance.core.session_limits import MaxAttempts, SessionLimit
from governance.core.verdict import Verdict
from outcomes.backtesting.domain.comparison import Answer, Decision, Recorded, Ruling, compare
from outcomes.recorded_calls.domain import Change

_SUCCESS: Final = Verdict.SUCCESS
_DENIED: Final = "denied"
COUNTINGS: Final = ("executions", "reported", "classified")
_ALL: Final = range(len(COUNTINGS))
_ALLOWED: Final = Ruling(Decision.ALLOWED)


class Counted(Protocol):
    """The parts of a call that limits count: a step of its session, or its row."""

    @property
    def kind(self) -> str | None: ...
    @property
    def tool(self) -> str: ...
    @property
    def verdict(self) -> str | None: ...
    @property
    def reported(self) -> str | None: ...
    @property
    def from_sdk(self) -> bool: ...


class _OnExecutions(NamedTuple):
    """A limit that applies to a call, and its index among all limits."""

    place: int
    value: int
    tool: str | None


@dataclass(frozen=True, slots=True)
class Result:
    change: Change
    ruling: Ruling


class SessionReplay:
    """Replay of a session, which must be given every call in order.

    Each way of counting is tracked separately: one may stop a call that another allows.
    """

    def __init__(self, limits: Sequence[SessionLimit]) -> None:
        self.limits = limits
        self._attempts = 0
        self._executions = [0] * len(COUNTINGS)
        self._by_tool: list[dict[str, int]] = [{} for _ in COUNTINGS]
        self._stops: dict[tuple[int, int], int] = {}
        self._on_attempts = [
            (place, limit.value, limit.assumed)
            for place, limit in enumerate(limits)
            if isinstance(limit, MaxAttempts)
        ]
        self._tools = {limit.tool for limit in limits} - {None}
        self._applying: dict[tuple[str, bool], list[_OnExecutions]] = {}
        self._least = min((limit.value for limit in limits), default=None)
        self._newly_denied = False

    def passes(self, step: Counted) -> bool:
        """Fast path for a call that was allowed and that no rule denies: count it like `replay` and
        return True while no limit can be reached yet; else count nothing. Most calls pass."""
        attempts = self._attempts + 1
        if self._least is not None and attempts >= self._least:
            return False
        self._attempts = attempts
        if _ran(step):
            for counting in _ALL:
                self._execute(counting, step)
        return True

    def pass_by(self, step: Counted) -> None:
        """Count a call that is not replayed, as recorded."""
        self._attempts += 1
        if _ran(step):
            for counting in _ALL:
                self._execute(counting, step)

    def replay(
        self, step: Counted, recorded: Recorded, answer: Answer, *, output_before: str = "allow"
    ) -> Result:
        ruling = self._ruling(step, recorded, answer)
        change = self._change(recorded, ruling, output_before)
        if change is Change.NEWLY_DENIED:
            self._newly_denied = True
        return Result(change, ruling)

    def stops(self) -> list[dict[str, int]]:
        """Denied calls of each limit, by way of counting."""
        return [
            {name: self._stops.get((place, number), 0) for number, name in enumerate(COUNTINGS)}
            for place in range(len(self.limits))
        ]

    def _ruling(self, step: Counted, recorded: Recorded, answer: Answer) -> Ruling:
        self._attempts += 1
        for place, value, assumed in self._on_attempts:
            # The count includes this call, so N allows N-1; attempts are checked before all rules.
            if self._attempts >= value and (step.from_sdk or not assumed):
                for counting in _ALL:
                    self._stop(place, counting)
                return Ruling(Decision.DENIED, names_of(self.limits[place]), by_limit=True)
        runs = _would_run(step, recorded, answer)
        stopped = None
        if answer.decision is Decision.ALLOWED:  # calls that need approval skip limits
            for counting in reversed(_ALL):
                stopped = self._stopped(counting, step)
                if stopped is not None:
                    self._stop(stopped, counting)
                elif runs:
                    self._execute(counting, step)
        elif runs:
            for counting in _ALL:
                self._execute(counting, step)
        if stopped is not None:  # by executions, the agents' own count
            return Ruling(Decision.DENIED, names_of(self.limits[stopped]), by_limit=True)
        if answer.decision is Decision.ALLOWED and answer.output == "allow":
            return _ALLOWED
        rules = (answer.rule,) if answer.rule else ()
        return Ruling(answer.decision, rules, output=answer.output, output_rule=answer.output_rule)

    def _stopped(self, counting: int, step: Counted) -> int | None:
        for place, value, tool in self._applying_to(step):
            used = self._by_tool[counting].get(tool, 0) if tool else self._executions[counting]
            if used >= value:
                return place
        return None

    def _applying_to(self, step: Counted) -> list[_OnExecutions]:
        key = (step.tool if step.tool in self._tools else "", step.from_sdk)
        applying = self._applying.get(key)
        if applying is None:
            applying = self._applying[key] = [
                _OnExecutions(place, limit.value, limit.tool)
                for place, limit in enumerate(self.limits)
                if not isinstance(limit, MaxAttempts)
                and limit.tool in (None, step.tool)
                and (step.from_sdk or not limit.assumed)
            ]
        return applying

    def _execute(self, counting: int, step: Counted) -> None:
        if counting == 1 and step.reported != _SUCCESS:
            return
        if counting == 2 and step.verdict != _SUCCESS:
            return
        self._executions[counting] += 1
        if step.tool in self._tools:
            by_tool = self._by_tool[counting]
            by_tool[step.tool] = by_tool.get(step.tool, 0) + 1

    def _stop(self, place: int, counting: int) -> None:
        self._stops[place, counting] = self._stops.get((place, counting), 0) + 1

    def _change(self, recorded: Recorded, ruling: Ruling, output_before: str) -> Change:
        # A limit's decision depends on the count, and an agent that was denied a call would have
        # continued differently.
        by_rule = ruling.decision is not Decision.ALLOWED and not ruling.by_limit
        of_limit = ruling.by_limit or (recorded.by_limit and not by_rule)
        if of_limit and self._newly_denied:
            return Change.UNDETERMINED
        return compare(recorded, ruling, output_before=output_before)


def names_of(limit: SessionLimit) -> tuple[str, ...]:
    """Names that a denial may use for the limit: its rules in the contract, and the SDK's name."""
    own = limit.kind if limit.tool is None else f"{limit.kind}:{limit.tool}"
    return (own,) if limit.assumed else (*limit.rule_ids, own)


def _ran(step: Counted) -> bool:
    return bool(step.kind) and step.kind != _DENIED


def _would_run(step: Counted, recorded: Recorded, answer: Answer) -> bool:
    """True if the call would have run; one that newly needs approval, only if it did run."""
    if answer.decision is Decision.DENIED:
        return False
    was_stopped = step.kind == _DENIED
    return answer.decision is Decision.ALLOWED if was_stopped else _ran(step)
