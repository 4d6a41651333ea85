"""Figures of each tool or agent in each environment by row number, read from rollups only."""

from collections import defaultdict
from datetime import datetime
from typing import Literal

from outcomes.core.moments import Span
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.rollups import DAY
from outcomes.figures.queries.rollups import Reading, Slot, SlotOf
from outcomes.figures.queries.stats import place_in, runs_in


def figures_by_place(
    project_id: int,
    by: Literal["tool", "agent"],
    *,
    since: datetime,
    until: datetime | None = None,
) -> dict[tuple[int, int], Figures]:
    """Figures by row number of the environment and of the tool or agent; empty ones are omitted."""
    return _by_place(project_id, by, since, until, None, None)[0]


def figures_by_both(
    project_id: int, *, since: datetime, until: datetime
) -> dict[tuple[int, int, int], Figures]:
    """Figures by row numbers of environment, tool and agent."""
    reading = Reading(
        project=project_id,
        environment="",
        tool=None,
        agent=None,
        by_tool=True,
        by_agent=True,
        since=since,
        until=until,
        durations=False,
    )
    slots: defaultdict[tuple[int, int, int], Slot] = defaultdict(Slot)
    slot_of: SlotOf = lambda environment, _, tool, agent: slots[environment, tool, agent]  # noqa: E731
    reading.into(slot_of, runs_in(reading, DAY, None))
    return {place: figures for place, slot in slots.items() if (figures := slot.figures())}


def two_figures_by_place(
    project_id: int,
    by: Literal["tool", "agent"],
    *,
    since: datetime,
    cut: datetime,
    until: datetime,
    number: int | None,
) -> tuple[dict[tuple[int, int], Figures], dict[tuple[int, int], Figures]]:
    """Figures of two periods, before and after the cut, read in one query; for one tool or agent
    if its number is given."""
    return _by_place(project_id, by, since, until, number, cut)


def _by_place(
    project_id: int,
    by: Literal["tool", "agent"],
    since: datetime | None,
    until: datetime | None,
    number: int | None,
    cut: datetime | None,
) -> tuple[dict[tuple[int, int], Figures], dict[tuple[int, int], Figures]]:
    reading = Reading(
        project=project_id,
        environment="",
        tool=number if by == "tool" else None,
        agent=number if by == "agent" else None,
        by_tool=by == "tool",
        by_agent=by == "agent",
        since=since,
        until=until,
        durations=False,
    )
    steps = [Span(since, cut), Span(cut, until)] if since and cut and until else None
    place_of = place_in(steps)
    slots: tuple[defaultdict[tuple[int, int], Slot], ...] = (defaultdict(Slot), defaultdict(Slot))
    if by == "tool":
        slot_of: SlotOf = lambda environment, minute, tool, __: slots[place_of(minute)][  # noqa: E731
            environment, tool
        ]
    else:
        slot_of = lambda environment, minute, __, agent: slots[place_of(minute)][  # noqa: E731
            environment, agent
        ]
    reading.into(slot_of, runs_in(reading, DAY, steps))
    first, second = (
        {place: figures for place, slot in half.items() if (figures := slot.figures())}
        for half in slots
    )
    return first, second
