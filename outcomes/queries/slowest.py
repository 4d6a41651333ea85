"""The slowest calls of a tool in any time: the rollups tell where they are, and only there are
calls read."""

import bisect
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Final

from django.db.models import Q

from outcomes.codec import as_text
from outcomes.domain.durations import least_of
from outcomes.domain.rollups import DAY, MINUTE, QUARTER, Run, runs, time_of
from outcomes.domain.scope import Scope
from outcomes.domain.slowest import Stretch, Worth, joined, worth_looking
from outcomes.models import Call
from outcomes.queries.calls import with_names
from outcomes.queries.rollups import Reading, Slot
from outcomes.queries.tools import NamedTool

MOST: Final = 10
READ: Final = 5_000  # calls; in more than these one looks more closely where they are
ROOM: Final = 20_000
MINUTES: Final = 300  # of which rollups are read, each of all tools together
_ANY: Final = 2**62


@dataclass(frozen=True, slots=True)
class Slowest:
    calls: list[Call]
    is_all: bool = True  # else others took about as long as the last of these


def slowest_calls(named: NamedTool, scope: Scope) -> Slowest:
    tool, agent = named.tool, named.agent or None
    reading = Reading(
        project=tool.project_id,
        environment=scope.environment,
        tool=tool.pk,
        agent=agent,
        by_tool=False,
        by_agent=False,
        since=scope.since,
        until=scope.until,
        durations=True,
    )
    first, end = reading.minutes
    worth = _worth(reading, runs(first, end, DAY))
    is_all = True
    for finer, most in ((QUARTER, _ANY), (MINUTE, MINUTES)):
        length = sum(each.length for each in worth.stretches)
        if worth.calls > READ and length <= most:
            worth = _worth(reading, _runs_of(worth.stretches, finer), room=ROOM)
            is_all = is_all and worth.is_all
    if not worth.stretches:
        return Slowest([])
    found = Call.objects.filter(
        _within(worth.stretches),
        project=tool.project_id,
        tool=tool,
        elapsed_ms__gte=least_of(worth.least),
    )
    if agent is not None:
        found = found.filter(agent=agent)
    if scope.environment:
        found = found.filter(environment__name=as_text(scope.environment))
    slowest = with_names(found).order_by("-elapsed_ms", "-at", "-order")
    return Slowest(list(slowest[:MOST]), is_all)


def _worth(reading: Reading, parts: list[Run], room: int = _ANY) -> Worth:
    """Whatever step a rollup has, it counts for the stretch that it lies in."""
    stretches = sorted(Stretch(start, start + run.step) for run in parts for start in run.starts())
    firsts = [each.first for each in stretches]
    slots = [Slot() for _ in stretches]
    beside = Slot()  # changes of minutes that nobody asked for

    def slot_of(_environment: int, minute: int, _tool: int, _agent: int) -> Slot:
        place = bisect.bisect_right(firsts, minute) - 1
        return slots[place] if place >= 0 and minute < stretches[place].end else beside

    reading.into(slot_of, parts)
    counted: dict[Stretch, Counter[int]] = {}
    for stretch, slot in zip(stretches, slots, strict=True):
        if buckets := +slot.pile.buckets():
            counted[stretch] = buckets
    return worth_looking(counted, MOST, room)


def _runs_of(stretches: list[Stretch], step: int) -> list[Run]:
    """Those that are as fine already stay as they are."""
    return [run for each in joined(stretches) for run in runs(each.first, each.end, step)]


def _within(stretches: list[Stretch]) -> Q:
    """All together, too: that much an index surely narrows it down to."""
    spans = [_between(each) for each in joined(stretches)]
    return reduce(or_, spans) & _between(Stretch(stretches[0].first, stretches[-1].end))


def _between(stretch: Stretch) -> Q:
    return Q(at__gte=time_of(stretch.first), at__lt=time_of(stretch.end))
