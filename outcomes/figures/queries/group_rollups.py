"""Group rollups and unmerged changes, read in one statement to get a consistent snapshot."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, Final, NamedTuple

from outcomes.core.moments import minute_of
from outcomes.database import NO_BYTES, bucket, one_of_selected
from outcomes.database.reading import reading
from outcomes.figures.codec.groups import unpack_groups
from outcomes.figures.domain.rollups import MINUTE, joined, runs

_ENVIRONMENTS: Final = "SELECT id FROM governance_environment WHERE {}"
_ROLLED: Final = """
SELECT {time}, {step}, "group", {calls}, {begun}, {ended}, {nothing} AS packed
FROM outcomes_grouprollup WHERE {environments} AND "of" = %s AND step = %s AND {span}{named}{end}
"""
_MINUTES: Final = """
SELECT {time}, minute, 0, 0, 0, 0, groups
FROM outcomes_rollupminute WHERE {environments} AND {span} AND groups IS NOT NULL
"""
_CHANGES: Final = """
SELECT -1, 0, 0, 0, 0, 0, groups
FROM outcomes_rollupchange WHERE {environments} AND groups IS NOT NULL
"""


class Time(NamedTuple):
    """Period in whole minutes, from `since` to before `until`. With borders, counts are split into
    steps that start at each border."""

    since: datetime | None
    until: datetime
    borders: Sequence[datetime] = ()


@dataclass(slots=True)
class Sums:
    calls: int = 0
    begun: int = 0  # sessions
    ended: int = 0

    def add(self, calls: int, begun: int, ended: int) -> None:
        self.calls += calls
        self.begun += begun
        self.ended += ended


@dataclass(slots=True)
class GroupSums:
    """Sums of one group, by time and step."""

    times: dict[tuple[int, int], Sums] = field(default_factory=dict)

    def add(self, place: tuple[int, int], calls: int, begun: int, ended: int) -> None:
        if place in self.times:
            self.times[place].add(calls, begun, ended)
        else:
            self.times[place] = Sums(calls, begun, ended)

    def total(self, time: int) -> Sums:
        total = Sums()
        for (place, _), sums in self.times.items():
            if place == time:
                total.add(sums.calls, sums.begun, sums.ended)
        return total

    def calls_by_step(self, time: int, steps: int) -> list[int]:
        calls = [0] * steps
        for (place, step), sums in self.times.items():
            if place == time:
                calls[step] += sums.calls
        return calls


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupReading:
    project: int
    environment: str  # empty: all
    of: int
    tool: int | None = None
    agent: int | None = None  # none: any; failures are also counted over all agents
    groups: Collection[int] | None = None  # none: all of them
    sessions: bool = True  # False counts calls only, in half the time on PostgreSQL

    def read(self, times: Sequence[Time]) -> dict[int, GroupSums]:
        sums: defaultdict[int, GroupSums] = defaultdict(GroupSums)
        for time, step, group, calls, begun, ended in self._counted(times):
            sums[group].add((time, step), calls, begun, ended)
        return sums

    def read_calls(self, times: Sequence[Time]) -> dict[int, list[list[int]]]:
        """Number of calls in each group: by time, then by step. Sessions are not counted."""
        steps = [max(1, len(time.borders)) for time in times]
        calls_by_group: defaultdict[int, list[list[int]]] = defaultdict(
            lambda: [[0] * n for n in steps]
        )
        for time, step, group, calls, _, _ in self._counted(times):
            calls_by_group[group][time][step] += calls
        return calls_by_group

    def _counted(self, times: Sequence[Time]) -> Iterator[tuple[int, int, int, int, int, int]]:
        steps = [_Steps(time) for time in times]
        for time, step, group, calls, begun, ended, packed in self._rows(times):
            if packed is None:
                yield time, step, group, calls, begun, ended
                continue
            for minute, of, tool, agent, number, calls, begun, ended in unpack_groups(packed):
                if not self._matches(of, tool, agent, number):
                    continue
                for place in range(len(times)) if time < 0 else (time,):
                    if steps[place].holds(minute):
                        yield place, steps[place].step_of(minute), number, calls, begun, ended

    def _matches(self, of: int, tool: int, agent: int, group: int) -> bool:
        return (
            of == self.of
            and self.tool in (None, tool)
            and self.agent in (None, agent)
            and (self.groups is None or group in self.groups)
        )

    def _rows(self, times: Sequence[Time]) -> list[tuple[Any, ...]]:
        statements, values = list[str](), list[Any]()
        for statement, more in self._parts(times):
            statements.append(statement)
            values += more
        with reading().cursor() as cursor:
            cursor.execute(" UNION ALL ".join(statements), values)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def _parts(self, times: Sequence[Time]) -> Iterator[tuple[str, list[Any]]]:
        chosen = "project_id = %s" + (" AND name = %s" if self.environment else "")
        words = {
            "environments": f"environment_id {one_of_selected(_ENVIRONMENTS.format(chosen))}",
            "nothing": NO_BYTES,
        }
        place = [self.project, *([self.environment] if self.environment else [])]
        named = [("tool = %s", self.tool), ("agent = %s", self.agent)]
        conditions = "".join(f" AND {text}" for text, value in named if value is not None)
        numbers = [value for _, value in named if value is not None]
        if self.groups is not None:
            conditions += f' AND "group" IN ({", ".join(map(str, sorted(self.groups))) or "0"})'
        steps = [_Steps(time) for time in times]
        for number, time in enumerate(times):
            words |= {"time": str(number), "named": conditions}
            words |= _sums_sql(steps[number], sessions=self.sessions)
            for step, span in _spans(time):
                if step == MINUTE:
                    yield _MINUTES.format(**words, span=span.format("minute")), place
                else:
                    statement = _ROLLED.format(**words, span=span.format("start"))
                    yield statement, [*place, self.of, step, *numbers]
        yield _CHANGES.format(**words), place


class _Steps:
    def __init__(self, time: Time) -> None:
        self.first = None if time.since is None else minute_of(time.since)
        self.end = minute_of(time.until)
        self.borders = [minute_of(border) for border in time.borders[1:]]

    def holds(self, minute: int) -> bool:
        return (self.first is None or minute >= self.first) and minute < self.end

    def step_of(self, minute: int) -> int:
        return bisect_right(self.borders, minute)


def _sums_sql(steps: _Steps, *, sessions: bool) -> dict[str, str]:
    names = ("calls", "begun", "ended") if sessions else ("calls",)
    sums = {name: f"CAST(SUM({name}) AS bigint)" for name in names}
    step, end = "0", ' GROUP BY "group"'
    if steps.borders:
        step, end = bucket("start", steps.borders), ' GROUP BY "group", 2'
    return {"begun": "0", "ended": "0", "step": step, "end": end} | sums


def _spans(time: Time) -> Iterator[tuple[int, str]]:
    """Conditions for the fewest rollups that cover exactly this time, none across two steps.
    Minutes are numbers, inlined in the statement."""
    steps = _Steps(time)
    borders = pairwise([steps.first, *steps.borders, steps.end])
    for run in joined(run for since, until in borders for run in runs(since, until)):
        since = "" if run.first is None else f"{{0}} >= {run.first} AND "
        yield run.step, f"{since}{{0}} < {run.end}"
