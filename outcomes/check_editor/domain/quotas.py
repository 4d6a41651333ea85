"""How many calls each binding would judge, and which tools none but the last line covers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from governance.checks.domain import Binding, first_fitting

ANYBODY = "*"


class Counted(NamedTuple):
    """Calls of a tool in an environment, by everybody or by one agent."""

    environment: str
    tool: str
    calls: int
    agent: str = ANYBODY


@dataclass(frozen=True, slots=True)
class Partly:
    """Tool with calls that only the last binding covers."""

    tool: str
    calls: int
    of: int


@dataclass(frozen=True, slots=True)
class SharedOut:
    lines: tuple[int, ...]  # calls of each, in their order
    last: int  # calls that only the last line takes
    uncovered: tuple[tuple[str, int], ...]  # tools of which it takes all, most called first
    partly: tuple[Partly, ...] = ()  # those of which it takes some

    @property
    def calls(self) -> int:
        return sum(self.lines) + self.last

    @property
    def uncovered_calls(self) -> int:
        return sum(calls for _, calls in self.uncovered)

    @property
    def partly_calls(self) -> int:
        return sum(each.calls for each in self.partly)


def names_agents(bindings: Iterable[Binding]) -> list[str]:
    """The globs that do not fit every agent: only of those it matters who called."""
    return sorted({line.agent for line in bindings} - {ANYBODY})


def shared_out(
    bindings: Sequence[Binding], by_tool: Iterable[Counted], by_agent: Iterable[Counted] = ()
) -> SharedOut:
    """`by_agent` are the calls, among those `by_tool`, of agents that some line is about."""
    judged: Counter[int | None] = Counter()
    covered: Counter[str] = Counter()
    left: Counter[str] = Counter()

    def give(counted: Counted, place: int | None) -> None:
        judged[place] += counted.calls
        (left if place is None else covered)[counted.tool] += counted.calls

    special: Counter[tuple[str, str]] = Counter()
    for each in by_agent:
        special[each.environment, each.tool] += each.calls
        give(each, first_fitting(bindings, each.environment, each.agent, each.tool))
    of_everybody = [line for line in bindings if line.agent == ANYBODY]
    places = [place for place, line in enumerate(bindings) if line.agent == ANYBODY]
    for each in by_tool:
        # What the minutes count and what the calls say may differ by those of this moment.
        rest = max(0, each.calls - special[each.environment, each.tool])
        first = first_fitting(of_everybody, each.environment, "", each.tool)
        give(each._replace(calls=rest), None if first is None else places[first])
    return SharedOut(
        lines=tuple(judged[place] for place in range(len(bindings))),
        last=judged[None],
        uncovered=tuple(
            (tool, calls) for tool, calls in _most_first(left) if calls and not covered[tool]
        ),
        partly=tuple(
            Partly(tool, calls, calls + covered[tool])
            for tool, calls in _most_first(left)
            if calls and covered[tool]
        ),
    )


def _most_first(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))
