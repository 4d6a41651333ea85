"""Days of which the sessions are counted, and which of these changed since."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django.db import connection

from outcomes.sessions.codec.days import AlikeSessions, unpack_groups
from outcomes.sessions.domain.days import Stretch, covered, day_of

_DAYS: Final = """
SELECT day, sessions, groups FROM outcomes_sessionday WHERE project_id = %s AND day >= %s
UNION ALL
SELECT DISTINCT day, -1, {nothing} FROM outcomes_sessiondaychange WHERE project_id = %s
"""
_CHANGED: Final = -1


@dataclass(frozen=True, slots=True)
class CountedDays:
    packed: tuple[bytes, ...]
    about: int  # how many there are, as they were counted last
    beside: list[Stretch]  # what of the time is not among them

    def groups(self) -> tuple[AlikeSessions, ...]:
        return _added_up(self.packed)


@lru_cache(maxsize=4)
def _added_up(packed: tuple[bytes, ...]) -> tuple[AlikeSessions, ...]:
    """Tens of thousands of groups of some months, which change once a day."""
    sums = Counter[tuple[Any, ...]]()
    for each in packed:
        for group in unpack_groups(each):
            sums[group[:-1]] += group[-1]
    return tuple((*alike, sessions) for alike, sessions in sums.items())


def counted_days(project_id: int, since: datetime | None, until: datetime | None) -> CountedDays:
    """As they stand at one moment."""
    nothing = f"CAST(NULL AS {'bytea' if connection.vendor == 'postgresql' else 'blob'})"
    first = -(2**31) if since is None else day_of(since)
    with connection.cursor() as cursor:
        cursor.execute(_DAYS.format(nothing=nothing), [project_id, first, project_id])
        rows: list[tuple[int, int, Any]] = cursor.fetchall()
    there = {day: (sessions, groups) for day, sessions, groups in rows if sessions != _CHANGED}
    changed = {day for day, sessions, _ in rows if sessions == _CHANGED}
    found = covered(since, until, there.keys(), changed)
    return CountedDays(
        tuple(bytes(there[day][1]) for day in found.days),
        sum(there[day][0] for day in {*found.days, *(changed & there.keys())}),
        found.beside,
    )
