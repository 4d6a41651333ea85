"""Slowest calls of a tool in any period: rollups locate them, so few calls are read."""

import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Final

from outcomes.core.durations import least_of, top_of
from outcomes.core.scope import Scope
from outcomes.database import joined_in_turn
from outcomes.database.reading import reading
from outcomes.figures.domain.rollups import DAY, MINUTE, QUARTER, Run, runs, time_of
from outcomes.figures.queries.rollups import Reading, Slot
from outcomes.models import Call
from outcomes.record.codec import as_text
from outcomes.stored.queries import with_names
from outcomes.tools.domain.slowest import Stretch, Worth, joined, stretches_to_read
from outcomes.tools.queries.tools import NamedTool

MOST: Final = 10
READ: Final = 5_000  # calls; for more than these, finer rollups are read first
ROOM: Final = 20_000  # calls in the days whose finer rollups are read
MINUTES: Final = 300  # read as rollups of one minute, which contain all tools
_ANY: Final = 2**62
_ENVIRONMENT: Final = "SELECT id FROM governance_environment WHERE project_id = %s AND name = %s"
_IN_SPAN: Final = "tool_id = %s AND at >= span.since AND at < span.until"
_SLOWEST: Final = """
SELECT stored.id
FROM (SELECT column1 AS since, column2 AS until FROM (VALUES {spans}) AS listed) AS span
CROSS JOIN {calls}
  AND stored.elapsed_ms >= %s{conditions}
ORDER BY stored.elapsed_ms DESC, stored.at DESC, stored."order" DESC LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Slowest:
    calls: list[Call]
    is_all: bool = True  # False: other calls took about as long as the last of these


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
    worth = _worth(reading, runs(first, end, DAY), room=ROOM)
    is_all = worth.is_all
    for finer, most in ((QUARTER, _ANY), (MINUTE, MINUTES)):
        length = sum(each.length for each in worth.stretches)
        if worth.calls > READ and length <= most:
            parts = _runs_of(worth.stretches, finer)
            worth = _worth(reading, parts, room=READ, least=worth.least)
            is_all = is_all and worth.is_all
    if not worth.stretches:
        return Slowest([])
    numbers = _numbers(named, scope, worth)
    slowest = with_names(Call.objects.filter(pk__in=numbers)).order_by(
        "-elapsed_ms", "-at", "-order"
    )
    return Slowest(list(slowest), is_all)


class _From(Slot):
    """Slot that ignores rollups whose slowest call is below bucket `least`."""

    __slots__ = ("_least",)

    def __init__(self, least: int) -> None:
        super().__init__()
        self._least = least

    def add_rollup(self, counts: bytes, durations: bytes | None) -> None:
        if durations and top_of(durations) >= self._least:
            self.pile.add(durations)


def _worth(reading: Reading, parts: list[Run], room: int, least: int = 0) -> Worth:
    """Stretches to read, by the rollups in them, whatever their step. Rollups whose slowest call is
    below bucket `least` are ignored."""
    stretches = sorted(Stretch(start, start + run.step) for run in parts for start in run.starts())
    firsts = [each.first for each in stretches]
    slots: defaultdict[int, Slot] = defaultdict(lambda: _From(least))
    ignored = Slot()  # collects changes outside the stretches

    def slot_of(_environment: int, minute: int, _tool: int, _agent: int) -> Slot:
        place = bisect.bisect_right(firsts, minute) - 1
        return slots[place] if place >= 0 and minute < stretches[place].end else ignored

    reading.into(slot_of, parts)
    counted: dict[Stretch, Counter[int]] = {}
    for place in sorted(slots):
        if slots[place].is_measured and (buckets := +slots[place].pile.buckets()):
            counted[stretches[place]] = buckets
    return stretches_to_read(counted, MOST, room)


def _runs_of(stretches: list[Stretch], step: int) -> list[Run]:
    """Runs of the stretches, split to this step at most."""
    return [run for each in joined(stretches) for run in runs(each.first, each.end, step)]


def _numbers(named: NamedTool, scope: Scope, worth: Worth) -> list[int]:
    """Ids of the slow calls, read stretch by stretch through the index of the tool's times."""
    adapt = reading().ops.adapt_datetimefield_value
    spans = joined(worth.stretches)
    values: list[Any] = [adapt(time_of(minute)) for span in spans for minute in span]
    values += [named.tool.pk, least_of(worth.least)]
    conditions = ""
    if named.agent:
        conditions += " AND stored.agent_id = %s"
        values.append(named.agent)
    if scope.environment:
        conditions += f" AND stored.environment_id = ({_ENVIRONMENT})"
        values += [named.tool.project_id, as_text(scope.environment)]
    statement = _SLOWEST.format(
        spans=", ".join(["(%s, %s)"] * len(spans)),
        calls=joined_in_turn("outcomes_call", "stored", _IN_SPAN),
        conditions=conditions,
    )
    with reading().cursor() as cursor:
        cursor.execute(statement, [*values, MOST])
        return [number for (number,) in cursor.fetchall()]
