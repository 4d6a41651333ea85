"""Number of calls that each binding applies to, and tools that only the last binding covers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from governance.checks.domain import Binding, first_fitting

ANYBODY = "*"


class Counted(NamedTuple):
    """Number of calls of a tool in an environment, by all agents or by one."""

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
    lines: tuple[int, ...]  # calls of each binding, in order
    last: int  # calls that only the last binding applies to
    uncovered: tuple[tuple[str, int], ...]  # tools with only such calls, most called first
    partly: tuple[Partly, ...] = ()  # tools with some such calls

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
    """Agent globs that don't match every agent; only calls of these agents are counted by agent."""
    return sorted({line.agent for line in bindings} - {ANYBODY})


def shared_out(
    bindings: Sequence[Binding], by_tool: Iterable[Counted], by_agent: Iterable[Counted] = ()
) -> SharedOut:
    """Calls by binding; `by_agent` is the part of `by_tool` made by agents that a binding names."""
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
        # Rollups and calls may differ by the calls of this moment.
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
