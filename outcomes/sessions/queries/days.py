"""Stored session counts by day, and the days that changed since they were counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import msgspec

from outcomes.core.moments import day_of
from outcomes.database import NO_BYTES
from outcomes.database.reading import reading
from outcomes.sessions.domain.days import Stretch, covered

_DAYS: Final = """
SELECT day, sessions, groups FROM outcomes_sessionday WHERE project_id = %s AND day >= %s
UNION ALL
SELECT DISTINCT day, -1, {nothing} FROM outcomes_sessiondaychange WHERE project_id = %s
"""
_CHANGED: Final = -1


# Environment, agent and contract by name, and version number, None without one; kind of stop,
# limit and flags; and the number of sessions.
CountedGroup = tuple[str, str | None, str | None, int | None, str, str, int, int]


@dataclass(frozen=True, slots=True)
class CountedDays:
    packed: tuple[bytes, ...]
    about: int  # number of sessions at the last count
    uncounted: list[Stretch]  # parts of the period not included

    def groups(self) -> tuple[CountedGroup, ...]:
        return _added_up(self.packed)


@lru_cache(maxsize=4)
def _added_up(packed: tuple[bytes, ...]) -> tuple[CountedGroup, ...]:
    """Totals over days, cached: tens of thousands of groups that change once a day."""
    sums = Counter[tuple[Any, ...]]()
    for day in packed:
        for group in unpack_groups(day):
            sums[group[:-1]] += group[-1]
    return tuple((*key, sessions) for key, sessions in sums.items())


def counted_days(project_id: int, since: datetime | None, until: datetime | None) -> CountedDays:
    """Counted days of a period, read in one statement."""
    nothing = NO_BYTES
    first = -(2**31) if since is None else day_of(since)
    with reading().cursor() as cursor:
        cursor.execute(_DAYS.format(nothing=nothing), [project_id, first, project_id])
        rows: list[tuple[int, int, Any]] = cursor.fetchall()
    there = {day: (sessions, groups) for day, sessions, groups in rows if sessions != _CHANGED}
    changed = {day for day, sessions, _ in rows if sessions == _CHANGED}
    days = covered(since, until, there.keys(), changed)
    return CountedDays(
        tuple(bytes(there[day][1]) for day in days.days),
        sum(there[day][0] for day in {*days.days, *(changed & there.keys())}),
        days.uncounted,
    )


_encode: Final = msgspec.msgpack.Encoder().encode
_groups: Final = msgspec.msgpack.Decoder(list[CountedGroup])


def pack_groups(groups: Iterable[CountedGroup]) -> bytes:
    return _encode(list(groups))


def unpack_groups(packed: bytes) -> list[CountedGroup]:
    return _groups.decode(packed)
