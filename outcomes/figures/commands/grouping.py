"""Rows of groups of failed or denied calls, and changes to their counts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import Exists, OuterRef

from governance.checks.language.secret_fields import reads_secret
from governance.checks.queries.checks import compiled_of
from governance.core.masking import MASK
from outcomes.core.durations import bucket_of
from outcomes.core.groups import DENIED
from outcomes.core.moments import minute_of
from outcomes.database import KEEP_ROWS, bulk, one_of_digests, one_of_numbers, using_index
from outcomes.database import pairs as sql_pairs
from outcomes.database.bulk import read_time
from outcomes.figures.codec.groups import (
    Counts,
    GroupCounts,
    Took,
    code_of,
    digest_of_group,
    grouping_of,
    has_group,
    pack_change,
    pack_groups,
    shown_text_of,
)
from outcomes.figures.domain.groups import Grouping
from outcomes.models import Call, CallGroup, GroupRollup, RollupChange
from outcomes.record.classification import ran_unchecked
from outcomes.record.codec import CallRow
from outcomes.record.outcome import REASON

AT_ONCE: Final = 1_000
_COLUMNS: Final = ("project", "digest", "of", "tool", "agent", "kind", "reason", "rule",
                   "check_name", "text")  # fmt: skip
# Failures are counted twice: over all agents, and for each agent.
_FAILURES: Final = GroupRollup.Of.FAILURES.value
_AGENT_FAILURES: Final = GroupRollup.Of.FAILURES_OF_AGENT.value
_DENIALS: Final = GroupRollup.Of.DENIALS.value

# The lock waits for a process that is deleting the group; the group is then gone.
_KNOWN: Final = "SELECT digest, id FROM outcomes_callgroup WHERE project_id = %s AND digest"
_OTHERS: Final = """
SELECT stored.group_id, stored.session_id, stored.agent_id, MIN(stored.at), MAX(stored.at)
FROM {wanted} AS wanted CROSS JOIN outcomes_call AS stored {by}
WHERE stored.group_id = wanted.column1 AND stored.session_id = wanted.column2
  AND NOT stored.id {changed}
GROUP BY stored.group_id, stored.session_id, stored.agent_id
"""

_BY: Final = using_index("call_by_group_and_session")

T = TypeVar("T")
Key = tuple[int, bytes]  # the project, and the digest
Pair = tuple[int, int]  # group and session
CounterKey = tuple[int, int, int, int]  # of, tool, agent (0: any) and group
Ends = tuple[datetime, datetime]  # the first and the last
CountsByMinute = defaultdict[int, list[GroupCounts]]
_Sums = defaultdict[tuple[int, int, int, int, int, int], list[int]]  # environment, minute, counter


def grouped(rows: list[CallRow]) -> list[CallRow]:
    """Rows with their group ids filled in; missing groups are created."""
    keys: dict[int, tuple[Key, Grouping]] = {}
    first: dict[Key, CallRow] = {}
    for place, row in enumerate(rows):
        if has_group(row) and (group := grouping_of(row)):
            key = row.project, digest_of_group(group)
            keys[place] = key, group
            first.setdefault(key, row)
    if keys:
        numbers = _numbers(dict(keys.values()), first)
        for place, (key, _) in keys.items():
            rows[place] = rows[place]._replace(group=numbers[key])
    return rows


def _numbers(groups: dict[Key, Grouping], first: Mapping[Key, CallRow]) -> dict[Key, int]:
    numbers = _known(groups)
    missing = sorted(groups.keys() - numbers.keys())
    if missing:
        rows = [_row(*key, groups[key]._replace(text=_text_of(first[key]))) for key in missing]
        bulk.insert_missing(CallGroup, _COLUMNS, rows)
        numbers |= _known(missing)
    return numbers


def _text_of(row: CallRow) -> str:
    """Display text of a new group whose first call is this one."""
    if row.check_name and row.check_rule and row.verdict_reason + row.check_value:
        compiled = compiled_of(row.project, row.check_name, row.check_version)
        if compiled is not None and reads_secret(compiled, row.check_rule):
            return MASK
    return shown_text_of(row)


def _row(project: int, digest: bytes, group: Grouping) -> tuple[Any, ...]:
    of, tool, agent, *words = group
    return project, digest, of, tool, agent or None, *words


def _known(keys: Iterable[Key]) -> dict[Key, int]:
    by_project: defaultdict[int, list[bytes]] = defaultdict(list)
    for project, digest in keys:
        by_project[project].append(digest)
    numbers: dict[Key, int] = {}
    for project, digests in by_project.items():
        rows: list[tuple[Any, ...]] = []
        for part in _in_parts(digests):
            rows += _rows_known(project, part)
        numbers |= {(project, bytes(digest)): number for digest, number in rows}
    return numbers


def _rows_known(project: int, digests: Sequence[bytes]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        those, values = one_of_digests(digests)
        cursor.execute(f"{_KNOWN} {those} {KEEP_ROWS}", [project, *values])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def group_counts(changes: Iterable[tuple[CallRow | None, CallRow | None]]) -> CountsByMinute:
    """Changes to group counts, by environment. The session rows must be locked, so that no other
    process changes the first and last call of their groups."""
    counts: _Sums = defaultdict(lambda: [0, 0, 0])
    pairs: defaultdict[Pair, _Changed] = defaultdict(_Changed)
    for old, new in changes:
        if old is not None and old.group is not None:
            _add(counts, pairs, old, -1)
        if new is not None and new.group is not None:
            _add(counts, pairs, new, 1)
    others = _others(pairs)
    for pair, changed in pairs.items():
        for of in changed.all_of():
            there = others.get((*pair, of[2]))
            was = _ends(there, changed.before[of])
            now = _ends(there, changed.after[of])
            for ends, sign in ((was, -1), (now, 1)):
                if ends is not None:
                    counts[changed.environment, minute_of(ends[0]), *of][1] += sign
                    counts[changed.environment, minute_of(ends[1]), *of][2] += sign
    by_environment: CountsByMinute = defaultdict(list)
    for (environment, *place), sums in counts.items():
        if any(sums):
            by_environment[environment].append((*place, *sums))  # type: ignore[arg-type]  # five and three
    return by_environment


def note_past(groups: Iterable[int]) -> None:
    """Mark groups whose calls are removed but whose sums stay, so that their rows are kept."""
    CallGroup.objects.filter(pk__in=sorted(groups), has_past=False).update(has_past=True)


def drop_left(groups: Iterable[int]) -> None:
    """Delete groups that no call and no sum of removed calls refers to."""
    such = CallGroup.objects.filter(pk__in=sorted(groups), has_past=False)
    rows = such.select_for_update(skip_locked=True)
    locked = list(rows.order_by("pk").values_list("pk", flat=True))
    # Checked after locking: transactions that used a group before have ended.
    using = Call.objects.filter(group=OuterRef("pk"))
    CallGroup.objects.filter(~Exists(using), pk__in=locked).delete()


@dataclass(slots=True)
class _Changed:
    """Changed calls of one group in one session: their times before and after."""

    environment: int = 0
    before: defaultdict[CounterKey, list[datetime]] = field(
        default_factory=lambda: defaultdict(list)
    )
    after: defaultdict[CounterKey, list[datetime]] = field(
        default_factory=lambda: defaultdict(list)
    )
    ids: list[int] = field(default_factory=list)

    def all_of(self) -> set[CounterKey]:
        return self.before.keys() | self.after.keys()


def _add(counts: _Sums, pairs: defaultdict[Pair, _Changed], row: CallRow, sign: int) -> None:
    minute = minute_of(row.at)
    changed = None
    if row.session is not None:
        changed = pairs[row.group or 0, row.session]
        changed.environment = row.environment
        changed.ids.append(row.id)
    for of in _counted_of(row):
        counts[row.environment, minute, *of][0] += sign
        if changed is not None:
            (changed.after if sign > 0 else changed.before)[of].append(row.at)


def _counted_of(row: CallRow) -> tuple[CounterKey, ...]:
    group = row.group or 0
    if row.kind == DENIED:
        return ((_DENIALS, row.tool, row.agent, group),)
    return (_FAILURES, row.tool, 0, group), (_AGENT_FAILURES, row.tool, row.agent, group)


def _others(pairs: dict[Pair, _Changed]) -> dict[tuple[int, int, int], Ends]:
    """First and last unchanged call of each group in each session: overall (0) and per agent."""
    times: dict[tuple[int, int, int], Ends] = {}
    for part in _in_parts(sorted(pairs)):
        ids = sorted({number for pair in part for number in pairs[pair].ids})
        for group, session, agent, first, last in _stored(part, ids):
            for whose in (0, agent):
                known = times.get((group, session, whose), (first, last))
                times[group, session, whose] = min(known[0], first), max(known[1], last)
    return times


def _stored(pairs: Sequence[Pair], changed: Sequence[int]) -> Iterable[tuple[Any, ...]]:
    listed, pair_values = sql_pairs(pairs)
    not_these, changed_values = one_of_numbers(changed)
    statement = _OTHERS.format(wanted=listed, by=_BY, changed=not_these)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*pair_values, *changed_values])
        for *numbers, first, last in cursor.fetchall():
            yield *numbers, read_time(first), read_time(last)


def _ends(there: Ends | None, times: Sequence[datetime]) -> Ends | None:
    every = [*(there or ()), *times]
    return (min(every), max(every)) if every else None


def _in_parts(rows: Sequence[T]) -> Iterable[Sequence[T]]:
    return (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))


Change = tuple[CallRow | None, CallRow]  # a call before (None: new) and after
Gone = tuple[CallRow, None]

_Counts = dict[tuple[int, int, int, int, int, str], list[int]]
_Took = dict[tuple[int, int, int, int, int], int]


def count(changes: Iterable[Change | Gone], *, from_settling: bool = False) -> None:
    """Append a rollup change for these calls. Call it last, with the session rows locked."""
    changes = list(changes)
    _append(*_counted(changes), group_counts(changes), from_settling=from_settling)
    if left := {old.group for old, new in changes if old and old.group and _has_left(old, new)}:
        drop_left(left)


def _has_left(old: CallRow, new: CallRow | None) -> bool:
    return new is None or new.group != old.group


def _counted(changes: Iterable[Change | Gone]) -> tuple[_Counts, _Took]:
    """Changes to counts and durations, by environment, minute, tool and agent."""
    counts: _Counts = defaultdict(lambda: [0, 0])
    took: _Took = defaultdict(int)
    rows = [(new, 1) for _, new in changes if new is not None]
    rows += [(old, -1) for old, _ in changes if old is not None]
    for row, sign in rows:
        environment, tool, agent, elapsed = row.environment, row.tool, row.agent, row.elapsed_ms
        minute = minute_of(row.at)
        unchecked = ran_unchecked(row.verdict, row.classified)
        code = code_of(row.kind, row.verdict, unchecked=unchecked)
        sums = counts[environment, minute, tool, agent, code, row.reason[:REASON]]
        sums[0] += sign
        if row.disagreement:
            sums[1] += sign
        if elapsed is not None:
            took[environment, minute, tool, agent, bucket_of(elapsed)] += sign
    return counts, took


def _append(
    counts: _Counts,
    took: _Took,
    groups: Mapping[int, Sequence[GroupCounts]],
    *,
    from_settling: bool,
) -> None:
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
            from_settling=from_settling,
        )
