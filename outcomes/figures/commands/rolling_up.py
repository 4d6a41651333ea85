"""Merge changes into rollups in batches, a few seconds after they are written.

One process merges at a time. Rollups are updated and changes deleted in one transaction, so readers
of both see each call once.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from django.db import connection, transaction

from outcomes.database import bulk, try_lock
from outcomes.figures.codec.groups import (
    GroupMinutes,
    add_change,
    add_group_change,
    added,
    no_group_minutes,
    pack_group_minute,
    pack_minute,
)
from outcomes.figures.commands.rolling_up_groups import add_groups
from outcomes.figures.commands.totals import add_totals, settled_calls
from outcomes.figures.domain.sums import Minutes, Part, Sums, coarse_sums, no_minutes
from outcomes.models import Rollup, RollupChange, RollupMinute

logger = logging.getLogger(__name__)

EVERY: Final = 5.0  # seconds: the changes of this time take readers a few milliseconds
AT_ONCE: Final = 200  # changes
MINUTES: Final = 240  # per transaction, which blocks all other writers on SQLite
LOCK: Final = 0x726F6C6C  # PostgreSQL advisory lock
KEYS: Final = 400  # per statement
_KEY: Final = ("environment", "of", "step", "start", "tool", "agent")
_PACKED: Final = ("counts", "durations")

_STORED: Final = """
SELECT stored.environment_id, stored."of", stored.step, stored.start, stored.tool, stored.agent,
       stored.counts, stored.durations
FROM (VALUES {}) AS wanted CROSS JOIN outcomes_rollup AS stored
WHERE stored.environment_id = wanted.column1 AND stored."of" = wanted.column2
  AND stored.step = wanted.column3 AND stored.start = wanted.column4
  AND stored.tool = wanted.column5 AND stored.agent = wanted.column6
"""

T = TypeVar("T")
Key = tuple[int, ...]
_next = float("-inf")


def roll_up_now_and_then() -> bool:
    """Roll up, but at most every few seconds. Called between two claims, as it takes only some
    milliseconds.

    True if more changes remain, so that the caller continues soon.
    """
    global _next
    if time.monotonic() < _next:
        return False
    try:
        if _roll_up().is_more_left:
            return True
    except Exception:
        # Figures stay exact, as readers add unmerged changes; settling must not stop for this.
        logger.exception("Merging rollups failed and will be retried")
    _next = time.monotonic() + EVERY
    return False


def roll_up() -> int:
    """Merge one batch of changes and return their number."""
    return _roll_up().added


class _Done(NamedTuple):
    added: int
    is_more_left: bool


def _roll_up() -> _Done:
    """Merge oldest changes first: a call is added before it is removed, so no count is negative."""
    changes = list(RollupChange.objects.order_by("id")[:AT_ONCE])
    some, by_environment, groups = _up_to_some_minutes(changes)
    if not some:
        return _Done(0, is_more_left=False)
    coarse = {place: coarse_sums(minutes) for place, minutes in by_environment.items()}
    settled = settled_calls(some)
    with transaction.atomic():
        if not try_lock(LOCK):
            return _Done(0, is_more_left=False)
        gone, _ = RollupChange.objects.filter(pk__in=[change.pk for change in some]).delete()
        if gone < len(some):  # another worker merged them first
            transaction.set_rollback(True)
            return _Done(0, is_more_left=False)
        _add_coarse(coarse)  # before stored minutes are added to the same sums
        add_groups(groups)
        add_totals(settled)
        for environment, minutes in sorted(by_environment.items()):
            _add_minutes(environment, minutes, groups[environment])
    return _Done(len(some), is_more_left=len(some) < len(changes) or len(changes) == AT_ONCE)


def _up_to_some_minutes(
    changes: Sequence[RollupChange],
) -> tuple[list[RollupChange], dict[int, Minutes], dict[int, GroupMinutes]]:
    """First changes that fit the limit of minutes. Most share their minutes, but calls that are
    reported late may each add new ones."""
    some: list[RollupChange] = []
    minutes: defaultdict[int, Minutes] = defaultdict(no_minutes)
    groups: defaultdict[int, GroupMinutes] = defaultdict(no_group_minutes)
    for change in changes:
        if sum(map(len, minutes.values())) >= MINUTES:
            break
        place = change.environment_id
        add_change(minutes[place], bytes(change.counts), bytes(change.durations))
        for minute in add_group_change(groups[place], change.groups):
            minutes[place][minute]  # creates its row even if it has no other counts
        some.append(change)
    return some, minutes, groups


def _add_minutes(environment: int, minutes: Minutes, groups: GroupMinutes) -> None:
    for part in _in_parts(sorted(minutes)):
        there = RollupMinute.objects.filter(environment=environment, minute__in=part)
        for row in there:
            add_change(minutes, bytes(row.counts), bytes(row.durations))
            add_group_change(groups, row.groups)
        rows = [
            (
                environment,
                minute,
                *pack_minute(minute, minutes[minute]),
                pack_group_minute(minute, groups[minute]),
            )
            for minute in part
        ]
        bulk.put(RollupMinute, ("environment", "minute"), (*_PACKED, "groups"), rows)


def _add_coarse(coarse: dict[int, dict[Part, Sums]]) -> None:
    sums = {
        (environment, bool(tool) + 2 * bool(agent), step, start, tool, agent): part_sums
        for environment, parts in coarse.items()
        for (step, start, tool, agent), part_sums in parts.items()
    }
    for keys in _in_parts(sorted(sums)):
        there = _stored(keys)
        nothing = b"", b""
        rows = [(*key, *added(sums[key], *there.get(key, nothing))) for key in keys]
        bulk.put(Rollup, _KEY, _PACKED, rows)


def _stored(keys: Sequence[Key]) -> dict[Key, tuple[bytes, bytes]]:
    """Stored rollups by key, looked up one by one, as a day may have thousands of others."""
    values = ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(keys))
    with connection.cursor() as cursor:
        cursor.execute(_STORED.format(values), [value for key in keys for value in key])
        return {row[:6]: (bytes(row[6]), bytes(row[7])) for row in cursor.fetchall()}


def _in_parts(rows: Sequence[T]) -> Iterator[list[T]]:
    left = iter(rows)
    while part := list(islice(left, KEYS)):
        yield part
