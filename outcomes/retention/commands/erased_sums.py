"""Erase the rollups of an agent that remain once its calls are erased: those of calls that
retention removed.

Minute rollups are stored by agent, so their negative is appended like any other change, and merging
subtracts it from every hour, day, tool and group. Principals have no rollups of their own.
"""

from typing import Any, Final

from outcomes.figures.codec.groups import (
    GroupCounts,
    pack_change,
    pack_groups,
    unpack_counts,
    unpack_groups,
    unpack_took,
)
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.models import Erasure, GroupRollup, RollupChange, RollupMinute
from outcomes.retention.commands.steps import Cursor

MINUTES: Final = 240
_OF_AGENT: Final = GroupRollup.Of.FAILURES_OF_AGENT.value
_OF_ALL: Final = GroupRollup.Of.FAILURES.value


def erase_sums(erasure: Erasure, row: int, result: dict[str, Any]) -> Cursor | None:
    if erasure.about != Erasure.About.AGENT:
        return None
    after = result["cursor"]
    if after is None or after[0] == "merging":
        return _merge(erasure, then=[0]) if after is None or len(after) == 1 else _done(erasure)
    minutes = RollupMinute.objects.filter(
        environment__project=erasure.project_id, pk__gt=int(after[0])
    )
    page = list(minutes.order_by("pk")[:MINUTES])
    if not page:
        return ["merging", "last"]
    for minute in page:
        _take_out(minute, row)
    return [page[-1].pk]


def _merge(erasure: Erasure, *, then: Cursor) -> Cursor:
    """Merge some pending changes; returns `then` once the project has none left."""
    changes = RollupChange.objects.filter(environment__project=erasure.project_id)
    if not changes.exists():
        return then
    roll_up()
    return ["merging"]


def _done(erasure: Erasure) -> Cursor | None:
    merged = _merge(erasure, then=[])
    return None if not merged else ["merging", "last"]


def _take_out(minute: RollupMinute, agent: int) -> None:
    counts = [each for each in unpack_counts(bytes(minute.counts)) if each[2] == agent]
    took = [each for each in unpack_took(bytes(minute.durations)) if each[2] == agent]
    groups = [
        negative
        for each in unpack_groups(minute.groups)
        if each[3] == agent
        for negative in _negatives(each)
    ]
    if not counts and not took and not groups:
        return
    packed, durations = pack_change(
        [(*each[:5], -each[5], -each[6]) for each in counts],
        [(*each[:4], -each[4]) for each in took],
    )
    RollupChange.objects.create(
        environment_id=minute.environment_id,
        first=minute.minute,
        last=minute.minute,
        counts=packed,
        durations=durations,
        groups=pack_groups(groups),
    )


def _negatives(row: GroupCounts) -> list[GroupCounts]:
    """Negative counts of the agent, and of all agents if calls are counted for both."""
    minute, of, tool, agent, group, *sums = row
    calls, begun, ended = (-number for number in sums)
    own = (minute, of, tool, agent, group, calls, begun, ended)
    if of != _OF_AGENT:
        return [own]
    return [own, (minute, _OF_ALL, tool, 0, group, calls, begun, ended)]
