"""Add group changes to the rollups of their quarters, hours and days."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from outcomes.database import bulk
from outcomes.figures.codec.groups import GroupMinutes
from outcomes.figures.domain.rollups import COARSE
from outcomes.models import GroupRollup

_KEY: Final = ("environment", "of", "step", "start", "tool", "agent", "group")
_SUMS: Final = ("calls", "begun", "ended")


def add_groups(changed: Mapping[int, GroupMinutes]) -> None:
    """Add changes, by environment. Call it before stored minutes are added to the same sums."""
    sums_by_key: defaultdict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for environment, minutes in changed.items():
        for minute, groups in minutes.items():
            for (of, tool, agent, group), sums in groups.items():
                for step in COARSE:
                    start = minute - minute % step
                    added = sums_by_key[environment, of, step, start, tool, agent, group]
                    for place, number in enumerate(sums):
                        added[place] += number
    rows = sorted((*key, *sums) for key, sums in sums_by_key.items() if any(sums))
    bulk.add(GroupRollup, _KEY, _SUMS, rows)
