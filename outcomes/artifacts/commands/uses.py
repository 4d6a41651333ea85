"""Counts of the calls that refer to an artifact or read it, updated with the calls.

Rows are locked in sorted order, so that two workers cannot deadlock.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Max, Min

from outcomes.artifacts.queries.calls import calls_referring_to
from outcomes.database import bulk
from outcomes.figures.commands.grouping import Change, Gone
from outcomes.models import ArtifactMaker, ArtifactTotal, ArtifactUse
from outcomes.record.codec import CallRow, digest_of

UseKey = tuple[int, bytes]  # environment, digest of the name
Sizes = Mapping[UseKey, int]  # bytes of artifacts that calls refer to

AT_ONCE: Final = 500
PARTS: Final = 16  # shards of an environment's totals
# Maximum size counted for an artifact that its agent stores: the agent can report any number, and
# the sum must not overflow.
LARGEST: Final = 2**40
_TOTALS: Final = ("artifacts", "stored", "read", "size_bytes")


class _State(NamedTuple):
    """Columns of a row that an update changes."""

    artifact: int | None
    size_bytes: int
    calls: int
    reads: int
    first_at: datetime | None
    last_at: datetime | None


@dataclass(slots=True)
class _Difference:
    project: int
    name: str
    artifact: int | None = None
    calls: int = 0
    reads: int = 0
    times: list[datetime] = field(default_factory=list)
    makers: dict[int, int] = field(default_factory=lambda: defaultdict(int))  # by agent
    is_less: bool = False  # a call was removed or moved to another time


def note_artifacts(changes: Iterable[Change | Gone], sizes: Sizes) -> None:
    """Update the counts, in the transaction that writes the calls."""
    differences = _differences(changes)
    keys = sorted(differences)
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        _write({key: differences[key] for key in part}, sizes)


def _differences(changes: Iterable[Change | Gone]) -> dict[UseKey, _Difference]:
    differences: dict[UseKey, _Difference] = {}
    for old, new in changes:
        if old is not None and new is not None and _relevant_columns(old) == _relevant_columns(new):
            continue
        for row, sign in ((old, -1), (new, 1)):
            if row is not None:
                _add(differences, row, sign)
    return differences


def _relevant_columns(row: CallRow) -> tuple[object, ...]:
    return row.artifact_name, row.artifact, row.artifact_read, row.agent, row.at


def _add(differences: dict[UseKey, _Difference], row: CallRow, sign: int) -> None:
    if row.artifact_name:
        use = _difference_of(differences, row, row.artifact_name)
        use.calls += sign
        use.makers[row.agent] += sign
        if sign > 0:
            use.times.append(row.at)
            use.artifact = row.artifact or use.artifact
        else:
            use.is_less = True
    if row.artifact_read:
        _difference_of(differences, row, row.artifact_read).reads += sign


def _difference_of(differences: dict[UseKey, _Difference], row: CallRow, name: str) -> _Difference:
    return differences.setdefault(
        (row.environment, digest_of(name)), _Difference(row.project, name)
    )


def _write(differences: Mapping[UseKey, _Difference], sizes: Sizes) -> None:
    bulk.insert_missing(
        ArtifactUse,
        ("project", "environment", "digest", "name"),
        [
            (difference.project, environment, digest, difference.name)
            for (environment, digest), difference in differences.items()
        ],
    )
    rows = _locked(differences)
    after = {key: _after(row, differences[key], sizes.get(key)) for key, row in rows.items()}
    _write_makers({row.pk: differences[key].makers for key, row in rows.items()})
    gone = [rows[key].pk for key, state in after.items() if state.calls <= 0 and state.reads <= 0]
    bulk.update(
        ArtifactUse,
        ("id", *_State._fields),
        [(rows[key].pk, *state) for key, state in after.items() if rows[key].pk not in gone],
    )
    if gone:
        ArtifactMaker.objects.filter(use__in=gone).delete()
        ArtifactUse.objects.filter(pk__in=gone).delete()
    _add_to_totals((key[0], _state_of(rows[key]), state) for key, state in after.items())


def _after(row: ArtifactUse, difference: _Difference, size: int | None) -> _State:
    calls, reads = row.calls + difference.calls, row.reads + difference.reads
    if calls <= 0:
        return _State(None, 0, 0, reads, None, None)
    size = row.size_bytes if size is None else min(size, LARGEST)
    if difference.is_less:  # its first or newest call may have changed; calls are written already
        left = calls_referring_to(row.project_id, row.name).filter(environment=row.environment_id)
        ends = left.order_by().aggregate(first=Min("at"), last=Max("at"))
        stored = left.exclude(artifact=None).values_list("artifact", flat=True).first()
        return _State(stored, size, calls, reads, ends["first"], ends["last"])
    times = [at for at in (row.first_at, row.last_at, *difference.times) if at is not None]
    artifact = difference.artifact or row.artifact_id
    return _State(artifact, size, calls, reads, min(times), max(times))


def _state_of(row: ArtifactUse) -> _State:
    return _State(*(getattr(row, name) for name in ("artifact_id", *_State._fields[1:])))


def _add_to_totals(changes: Iterable[tuple[int, _State, _State]]) -> None:
    """Add the differences between states (environment, before, after) to the totals."""
    totals: dict[int, list[int]] = defaultdict(lambda: [0] * len(_TOTALS))
    for environment, before, after in changes:
        for place, (was, now) in enumerate(zip(_counted(before), _counted(after), strict=True)):
            totals[environment][place] += now - was
    part = os.getpid() % PARTS
    rows = sorted((environment, part, *sums) for environment, sums in totals.items() if any(sums))
    bulk.add(ArtifactTotal, ("environment", "part"), _TOTALS, rows)


def _counted(state: _State) -> tuple[int, ...]:
    """Values in the order of the totals. An artifact that no call refers to counts as zero."""
    if state.calls <= 0:
        return (0,) * len(_TOTALS)
    return 1, int(state.artifact is not None), int(state.reads > 0), state.size_bytes


def _locked(keys: Iterable[UseKey]) -> dict[UseKey, ArtifactUse]:
    by_environment: dict[int, list[bytes]] = defaultdict(list)
    for environment, digest in keys:
        by_environment[environment].append(digest)
    rows: dict[UseKey, ArtifactUse] = {}
    for environment, digests in sorted(by_environment.items()):
        uses = ArtifactUse.objects.select_for_update().filter(
            environment=environment, digest__in=digests
        )
        for row in uses.order_by("digest"):
            rows[environment, bytes(row.digest)] = row
    return rows


def _write_makers(makers: Mapping[int, Mapping[int, int]]) -> None:
    rows = sorted(
        (use, agent, calls)
        for use, agents in makers.items()
        for agent, calls in agents.items()
        if calls
    )
    bulk.add(ArtifactMaker, ("use", "agent"), ("calls",), rows)
    if any(calls < 0 for _, _, calls in rows):
        ArtifactMaker.objects.filter(use__in=list(makers), calls__lte=0).delete()
