"""Two sessions side by side: where they part, and what each did with each tool."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from outcomes.record.brief_call import BriefCall
from outcomes.record.outcome import ToolDenied
from outcomes.sessions.domain.overview import Results


class Parting(StrEnum):
    ASKED = "asked"  # another tool, or the same with other arguments
    BECAME = "became"  # the same was asked, and something else came of it
    ENDED = "ended"  # one of them has no further call


@dataclass(frozen=True, slots=True)
class PartedAt:
    number: int
    how: Parting
    one: BriefCall | None
    other: BriefCall | None


@dataclass(slots=True)
class OfTool:
    results: Results = field(default_factory=Results)
    denied: int = 0
    open: int = 0

    @property
    def calls(self) -> int:
        return self.results.ran + self.denied + self.open


def parted_at(one: Sequence[BriefCall], other: Sequence[BriefCall]) -> PartedAt | None:
    """The first call that differs; none for sessions that did the same throughout."""
    for place in range(max(len(one), len(other))):
        here = one[place] if place < len(one) else None
        there = other[place] if place < len(other) else None
        if here is None or there is None:
            return PartedAt(place + 1, Parting.ENDED, here, there)
        if (here.tool, here.arguments) != (there.tool, there.arguments):
            return PartedAt(place + 1, Parting.ASKED, here, there)
        if (here.kind, here.verdict, here.reason) != (there.kind, there.verdict, there.reason):
            return PartedAt(place + 1, Parting.BECAME, here, there)
    return None


def by_tool(
    one: Sequence[BriefCall], other: Sequence[BriefCall]
) -> list[tuple[str, OfTool, OfTool]]:
    """The tool that the two call most unlike often comes first."""
    sides: list[dict[str, OfTool]] = []
    for calls in (one, other):
        found: dict[str, OfTool] = {}
        for call in calls:
            tool = found.setdefault(call.tool, OfTool())
            if call.kind == ToolDenied.kind:
                tool.denied += 1
            elif call.kind:
                tool.results.count(call)
            else:
                tool.open += 1
        sides.append(found)
    rows = [
        (name, sides[0].get(name, OfTool()), sides[1].get(name, OfTool()))
        for name in sorted(sides[0].keys() | sides[1].keys())
    ]
    return sorted(rows, key=lambda row: -abs(row[1].calls - row[2].calls))
