"""One session under other limits: counted on call by call, in the three countings."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from governance.domain.session_limits import MaxAttempts, SessionLimit
from governance.domain.success import Verdict
from outcomes.domain.backtests.comparing import Answer, Change, Decision, Recorded, Said, compare
from outcomes.domain.session import Step

_SUCCESS: Final = Verdict.SUCCESS
_DENIED: Final = "denied"
COUNTINGS: Final = ("executions", "reported", "classified")
_COUNTS: Final[tuple[Callable[[Step], bool], ...]] = (
    lambda step: True,
    lambda step: step.reported is _SUCCESS,
    lambda step: step.verdict is _SUCCESS,
)


@dataclass(frozen=True, slots=True)
class Result:
    change: Change
    said: Said


class _Timeline:
    """What agents keep of a session: its attempts and executions, in one way of counting."""

    __slots__ = ("_counts", "attempts", "by_tool", "executions", "stops")

    def __init__(self, counts: Callable[[Step], bool], limits: int) -> None:
        self._counts = counts
        self.attempts = self.executions = 0
        self.by_tool: dict[str, int] = {}
        self.stops = [0] * limits

    def execute(self, step: Step) -> None:
        if self._counts(step):
            self.executions += 1
            self.by_tool[step.tool] = self.by_tool.get(step.tool, 0) + 1

    def denying(self, limits: Sequence[SessionLimit], step: Step, *, first: bool) -> int | None:
        """The place of the limit that stops this call, attempts being asked before all rules."""
        for place, limit in enumerate(limits):
            if isinstance(limit, MaxAttempts) is not first or (limit.assumed and not step.from_sdk):
                continue
            if self._used(limit) >= limit.value and limit.tool in (None, step.tool):
                return place
        return None

    def _used(self, limit: SessionLimit) -> int:
        if isinstance(limit, MaxAttempts):
            return self.attempts  # this one is among them: N lets N-1 pass
        return self.executions if limit.tool is None else self.by_tool.get(limit.tool, 0)


class SessionReplay:
    """Give it every call of the session, in order."""

    def __init__(self, limits: Sequence[SessionLimit]) -> None:
        self.limits = limits
        self._timelines = [_Timeline(counts, len(limits)) for counts in _COUNTS]
        self._newly_denied = False

    def pass_by(self, step: Step) -> None:
        """A call that is not replayed: it counts as it was recorded."""
        for timeline in self._timelines:
            timeline.attempts += 1
            if _ran(step):
                timeline.execute(step)

    def replay(
        self, step: Step, recorded: Recorded, answer: Answer, *, output_before: str = "allow"
    ) -> Result:
        said = Said(Decision.ALLOWED)
        for number, timeline in enumerate(self._timelines):
            here = self._advance(timeline, step, recorded, answer)
            if number == 0:  # what agents do: they count executions
                said = here
        change = self._change(recorded, said, output_before)
        if change is Change.NEWLY_DENIED:
            self._newly_denied = True
        return Result(change, said)

    def stops(self) -> list[dict[str, int]]:
        """Of each limit how many calls it denied, by counting."""
        return [
            {
                name: timeline.stops[place]
                for name, timeline in zip(COUNTINGS, self._timelines, strict=True)
            }
            for place in range(len(self.limits))
        ]

    def _advance(self, timeline: _Timeline, step: Step, recorded: Recorded, answer: Answer) -> Said:
        timeline.attempts += 1
        place = timeline.denying(self.limits, step, first=True)
        if place is None and answer.decision is Decision.ALLOWED:  # what asks is not looked at on
            place = timeline.denying(self.limits, step, first=False)
        if place is not None:
            timeline.stops[place] += 1
            return Said(Decision.DENIED, names_of(self.limits[place]), by_limit=True)
        if _would_run(step, recorded, answer):
            timeline.execute(step)
        rules = (answer.rule,) if answer.rule else ()
        return Said(answer.decision, rules, output=answer.output, output_rule=answer.output_rule)

    def _change(self, recorded: Recorded, said: Said, output_before: str) -> Change:
        # A stop by a limit that neither the record nor the new rules know depends on the count,
        # and an agent that was denied something would have gone on in another way.
        by_rule = said.decision is not Decision.ALLOWED and not said.by_limit
        of_limit = said.by_limit or (recorded.by_limit and not by_rule)
        if of_limit and self._newly_denied:
            return Change.UNDETERMINED
        return compare(recorded, said, output_before=output_before)


def names_of(limit: SessionLimit) -> tuple[str, ...]:
    """As a denial may name it: the rules of its document, and the SDKs' own word."""
    own = limit.kind if limit.tool is None else f"{limit.kind}:{limit.tool}"
    return (own,) if limit.assumed else (*limit.rule_ids, own)


def _ran(step: Step) -> bool:
    return bool(step.kind) and step.kind != _DENIED


def _would_run(step: Step, recorded: Recorded, answer: Answer) -> bool:
    """Nobody knows what would have been granted, so what is newly asked runs only if it did."""
    if answer.decision is Decision.DENIED:
        return False
    was_stopped = step.kind == _DENIED
    return answer.decision is Decision.ALLOWED if was_stopped else _ran(step)
