"""Comparison of two sessions: where they diverge, and their calls by tool."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from outcomes.record.brief_call import BriefCall
from outcomes.record.outcome import ToolDenied
from outcomes.sessions.domain.overview import Results


class Parting(StrEnum):
    REQUESTED = "asked"  # another tool or other arguments
    OUTCOME = "became"  # the same request with another outcome
    ENDED = "ended"  # one of them has no further call


@dataclass(frozen=True, slots=True)
class PartedAt:
    number: int
    how: Parting
    one: BriefCall | None
    other: BriefCall | None


@dataclass(slots=True)
class ToolCounts:
    results: Results = field(default_factory=Results)
    denied: int = 0
    open: int = 0

    @property
    def calls(self) -> int:
        return self.results.ran + self.denied + self.open


def parted_at(one: Sequence[BriefCall], other: Sequence[BriefCall]) -> PartedAt | None:
    """First call that differs; None if the sessions did the same throughout."""
    for place in range(max(len(one), len(other))):
        here = one[place] if place < len(one) else None
        there = other[place] if place < len(other) else None
        if here is None or there is None:
            return PartedAt(place + 1, Parting.ENDED, here, there)
        if (here.tool, here.arguments) != (there.tool, there.arguments):
            return PartedAt(place + 1, Parting.REQUESTED, here, there)
        if (here.kind, here.verdict, here.reason) != (there.kind, there.verdict, there.reason):
            return PartedAt(place + 1, Parting.OUTCOME, here, there)
    return None


def by_tool(
    one: Sequence[BriefCall], other: Sequence[BriefCall]
) -> list[tuple[str, ToolCounts, ToolCounts]]:
    """Counts by tool, largest difference in calls first."""
    sides: list[dict[str, ToolCounts]] = []
    for calls in (one, other):
        tools: dict[str, ToolCounts] = {}
        for call in calls:
            tool = tools.setdefault(call.tool, ToolCounts())
            if call.kind == ToolDenied.kind:
                tool.denied += 1
            elif call.kind:
                tool.results.count(call)
            else:
                tool.open += 1
        sides.append(tools)
    rows = [
        (name, sides[0].get(name, ToolCounts()), sides[1].get(name, ToolCounts()))
        for name in sorted(sides[0].keys() | sides[1].keys())
    ]
    return sorted(rows, key=lambda row: -abs(row[1].calls - row[2].calls))
