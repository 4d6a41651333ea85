"""Rollup changes: appended as they happen and added to the rollups later.

The settle path pays for it, so each call is processed once; `rolling_up` does the rest.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from outcomes.core.durations import bucket_of
from outcomes.figures.codec.groups import GroupCounts, pack_groups
from outcomes.figures.codec.rollups import Counts, Took, code_of, pack_change
from outcomes.figures.commands.grouping import drop_left, group_counts
from outcomes.figures.domain.figures import is_unchecked
from outcomes.figures.domain.rollups import minute_of
from outcomes.models import RollupChange
from outcomes.record.codec import CallRow
from outcomes.record.outcome import REASON

Change = tuple[CallRow | None, CallRow]  # a call as it was, if it was, and as it is
Gone = tuple[CallRow, None]

_Counts = dict[tuple[int, int, int, int, int, str], list[int]]
_Took = dict[tuple[int, int, int, int, int], int]


def count(changes: Iterable[Change | Gone]) -> None:
    """Comes last: the rows of the sessions are locked by now."""
    changes = list(changes)
    _append(*_counted(changes), group_counts(changes))
    if left := {old.group for old, new in changes if old and old.group and _has_left(old, new)}:
        drop_left(left)


def _has_left(old: CallRow, new: CallRow | None) -> bool:
    return new is None or new.group != old.group


def _counted(changes: Iterable[Change | Gone]) -> tuple[_Counts, _Took]:
    """By environment, minute, tool and agent."""
    counts: _Counts = defaultdict(lambda: [0, 0])
    took: _Took = defaultdict(int)
    rows = [(new, 1) for _, new in changes if new is not None]
    rows += [(old, -1) for old, _ in changes if old is not None]
    for row, sign in rows:
        environment, tool, agent, elapsed = row.environment, row.tool, row.agent, row.elapsed_ms
        minute = minute_of(row.at)
        unchecked = is_unchecked(row.verdict, row.classified)
        code = code_of(row.kind, row.verdict, unchecked=unchecked)
        sums = counts[environment, minute, tool, agent, code, row.reason[:REASON]]
        sums[0] += sign
        if row.disagreement:
            sums[1] += sign
        if elapsed is not None:
            took[environment, minute, tool, agent, bucket_of(elapsed)] += sign
    return counts, took


def _append(counts: _Counts, took: _Took, groups: Mapping[int, Sequence[GroupCounts]]) -> None:
    counted: dict[int, list[Counts]] = defaultdict(list)
    for (environment, minute, tool, agent, code, reason), sums in counts.items():
        counted[environment].append((minute, tool, agent, code, reason, sums[0], sums[1]))
    measured: dict[int, list[Took]] = defaultdict(list)
    for (environment, *place), calls in took.items():
        measured[environment].append((*place, calls))  # type: ignore[arg-type]  # four and one
    for environment, rows in counted.items():
        group_rows = groups.get(environment, ())
        minutes = [row[0] for row in (*rows, *group_rows)]
        packed, durations = pack_change(rows, measured[environment])
        RollupChange.objects.create(
            environment_id=environment,
            first=min(minutes),
            last=max(minutes),
            counts=packed,
            durations=durations,
            groups=pack_groups(group_rows),
        )
