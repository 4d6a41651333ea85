"""Figures of calls: in total, by tool, agent, session, reason or hour, and over time.

If a filter names only a period, an environment, an agent or a tool, figures are read from rollups.
Otherwise they are counted from the calls.
"""

import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from typing import Any, Final, Literal

from governance.people.queries.projects import environments_by_id
from outcomes.core.durations import bucket_of
from outcomes.core.moments import Span, Step, minute_of, spans
from outcomes.figures.codec.groups import code_of
from outcomes.figures.domain.figures import Figures
from outcomes.figures.domain.rollups import DAY, HOUR, Run, runs, time_of
from outcomes.figures.queries.rollups import Reading, Slot
from outcomes.models import Agent, Tool
from outcomes.record.classification import ran_unchecked
from outcomes.record.codec import digest_of
from outcomes.record.outcome import REASON
from outcomes.stored.queries import CallFilter, calls

By = Literal["tool", "agent", "session", "reason", "hour", "environment"]
_ROLLED_UP: Final = {
    "environment", "agent", "agent_number", "tool", "tool_number", "since", "until",
}  # fmt: skip
_COLUMN: Final = {
    "tool": "tool__name",
    "agent": "agent__name",
    "session": "session__session_id",
    "environment": "environment__name",
}
_NO_FILTER: Final = CallFilter()
MOST_CALLS: Final = 100_000  # counted for figures by session, which have no rollups

_Slots = dict[tuple[Any, int], Slot]  # by key (a tool, an hour, …) and step


@dataclass(frozen=True, slots=True)
class StepFigures:
    start: datetime
    end: datetime
    figures: Figures


def figures(project_id: int, filters: CallFilter, *, durations: bool = False) -> Figures:
    """Figures of all matching calls, with percentiles if `durations` is set."""
    slots = _read(project_id, filters, None, durations=durations)
    return slots[None, 0].figures() if slots else Figures()


def figures_by(
    project_id: int, by: By, filters: CallFilter, *, durations: bool = False
) -> dict[Any, Figures]:
    """Figures by name; by hour, keys are the start times in UTC.

    By reason, only denied calls are counted; by session, only calls that belong to one.
    """
    if by == "reason":
        return figures(project_id, filters).by_reason
    slots = _read(project_id, filters, by, durations=durations)
    groups = {key: slot.figures() for (key, _), slot in slots.items()}
    return {key: group for key, group in groups.items() if group}


def newest_calls(project_id: int, filters: CallFilter) -> tuple[CallFilter, datetime | None]:
    """The filter narrowed to its newest MOST_CALLS calls, and the time of the oldest of them, or
    None if no calls were cut off."""
    newest = calls(project_id, filters).order_by("-at", "-order").values_list("at", flat=True)
    some = list(newest[MOST_CALLS - 1 : MOST_CALLS + 1])
    if len(some) < 2:
        return filters, None
    return replace(filters, since=some[0]), some[0]


def figures_over_time(
    project_id: int,
    filters: CallFilter,
    step: Step | None,
    zone: tzinfo = UTC,
    *,
    cut: datetime | None = None,
    durations: bool = False,
) -> list[StepFigures]:
    """One entry per step of the reader's time zone, empty ones included. The filter sets the
    period. Without a step there is one entry, or one on each side of a cut."""
    steps = _spans(filters, step, zone, cut)
    slots = _read(project_id, filters, None, steps, durations=durations)
    return _all_steps(steps, {place: slot.figures() for (_, place), slot in slots.items()})


def figures_by_over_time(
    project_id: int,
    by: By,
    filters: CallFilter,
    step: Step | None,
    zone: tzinfo = UTC,
    *,
    cut: datetime | None = None,
) -> dict[Any, list[StepFigures]]:
    """Figures over time for each key, in lists of equal length. A cut is always a step boundary,
    so two periods can be read in one query; without a step each period is one entry."""
    steps = _spans(filters, step, zone, cut)
    by_key: defaultdict[Any, dict[int, Figures]] = defaultdict(dict)
    if by == "reason":
        for (_, place), slot in _read(project_id, filters, None, steps).items():
            for reason, group in slot.figures().by_reason.items():
                by_key[reason][place] = group
    else:
        for (key, place), slot in _read(project_id, filters, by, steps).items():
            if group := slot.figures():
                by_key[key][place] = group
    return {key: _all_steps(steps, those) for key, those in by_key.items()}


def _spans(
    filters: CallFilter, step: Step | None, zone: tzinfo, cut: datetime | None
) -> list[Span]:
    if filters.since is None or filters.until is None:
        raise ValueError("Steps need a beginning and an end.")
    borders = [filters.since, filters.until] if cut is None else [filters.since, cut, filters.until]
    halves = [Span(start, end) for start, end in pairwise(borders)]
    if step is None:
        return halves
    return [span for part in halves for span in spans(part.start, part.end, step, zone)]


def _all_steps(steps: Iterable[Span], figures_by_place: dict[int, Figures]) -> list[StepFigures]:
    nothing = Figures()  # shared: many tools in many steps have thousands of empty entries
    return [
        StepFigures(step.start, step.end, figures_by_place.get(place, nothing))
        for place, step in enumerate(steps)
    ]


def _read(
    project_id: int,
    filters: CallFilter,
    by: By | None,
    steps: list[Span] | None = None,
    *,
    durations: bool = False,
) -> _Slots:
    if by == "session" or not _is_rolled_up(filters):
        return _from_calls(project_id, filters, by, steps, durations=durations)
    return _from_rollups(project_id, filters, by, steps, durations=durations)


def _from_rollups(
    project_id: int,
    filters: CallFilter,
    by: By | None,
    steps: list[Span] | None,
    *,
    durations: bool,
) -> _Slots:
    tool = filters.tool_number or numbered(Tool, project_id, filters.tool)
    agent = filters.agent_number or numbered(Agent, project_id, filters.agent)
    if NOBODY in (tool, agent):
        return {}
    reading = Reading(
        project=project_id,
        environment=filters.environment,
        tool=tool,
        agent=agent,
        by_tool=by == "tool",
        by_agent=by == "agent",
        since=filters.since,
        until=filters.until,
        durations=durations,
    )
    slots: defaultdict[tuple[Any, int], Slot] = defaultdict(Slot)
    place_of = place_in(steps)

    def slot_of(environment: int, minute: int, tool: int, agent: int) -> Slot:
        key: int | None
        match by:
            case "tool":
                key = tool
            case "agent":
                key = agent
            case "environment":
                key = environment
            case "hour":
                key = minute - minute % HOUR
            case _:
                key = None
        return slots[key, place_of(minute)]

    reading.into(slot_of, runs_in(reading, HOUR if by == "hour" else DAY, steps))
    name = _names(project_id, by, {key for key, _ in slots})
    return {(name(key), place): slot for (key, place), slot in slots.items()}


def runs_in(reading: Reading, coarsest: int, steps: list[Span] | None) -> list[Run]:
    first, end = reading.minutes
    if steps is None or first is None or end is None:
        return runs(first, end, coarsest)
    borders = [minute_of(step.start) for step in steps[1:]]
    return [
        run
        for start, stop in zip([first, *borders], [*borders, end], strict=True)
        for run in runs(max(start, first), min(stop, end), coarsest)
    ]


def _from_calls(
    project_id: int,
    filters: CallFilter,
    by: By | None,
    steps: list[Span] | None,
    *,
    durations: bool,
) -> _Slots:
    slots: defaultdict[tuple[Any, int], Slot] = defaultdict(Slot)
    place_of = place_in(steps)
    columns = ("at", "kind", "verdict", "classified", "reason", "disagreement", "elapsed_ms")
    rows = calls(project_id, filters).order_by().values_list(_COLUMN.get(by or "", "at"), *columns)
    for key, at, *became, reason, disagreement, elapsed in rows.iterator(chunk_size=2_000):
        minute = minute_of(at)
        if by is None:
            key = None
        elif by == "hour":
            key = time_of(minute - minute % HOUR)
        elif key is None:  # call without a session
            continue
        slot = slots[key, place_of(minute)]
        kind, verdict, classified = became
        code = code_of(kind, verdict, unchecked=ran_unchecked(verdict, classified))
        slot.add((code, reason[:REASON]), 1, int(disagreement))
        if durations and elapsed is not None:
            slot.pile.count(bucket_of(elapsed), 1)
    return dict(slots)


def place_in(steps: list[Span] | None) -> Callable[[int], int]:
    """Function that returns a minute's step. Steps start at full minutes, except the first."""
    if not steps:
        return lambda _: 0
    borders = [minute_of(step.start) for step in steps[1:]]
    return lambda minute: bisect.bisect_right(borders, minute)


NOBODY: Final = -1


def numbered(model: type[Tool | Agent], project_id: int, name: str) -> int | None:
    """Row number of a tool or agent; None without a name, NOBODY if the name is unknown."""
    if not name:
        return None
    known = model.objects.filter(project=project_id, digest=digest_of(name))
    return known.values_list("pk", flat=True).first() or NOBODY


def _names(project_id: int, by: By | None, numbers: set[Any]) -> Callable[[Any], Any]:
    match by:
        case "tool" | "agent":
            model: type[Tool | Agent] = Tool if by == "tool" else Agent
            rows = model.objects.filter(project=project_id, pk__in=numbers)
            return dict(rows.values_list("pk", "name")).__getitem__
        case "environment":
            return environments_by_id(project_id).__getitem__
        case "hour":
            return time_of
        case _:
            return lambda key: key


def _is_rolled_up(filters: CallFilter) -> bool:
    return all(
        getattr(filters, field.name) == getattr(_NO_FILTER, field.name)
        for field in fields(filters)
        if field.name not in _ROLLED_UP
    )
