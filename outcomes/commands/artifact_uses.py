"""What calls have to do with artifacts, kept in step with them: which refer to one, and which read
it again. Rows are locked in sorted order, so that two workers never wait in a circle."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import Max, Min

from outcomes import bulk
from outcomes.codec import CallRow, digest_of
from outcomes.commands.counting import Change, Gone
from outcomes.models import ArtifactMaker, ArtifactUse
from outcomes.queries.artifact_calls import calls_referring_to

UseKey = tuple[int, bytes]  # environment, digest of the name
Sizes = Mapping[UseKey, int]  # in bytes, of those that calls refer to

AT_ONCE: Final = 500
_COLUMNS: Final = (
    "id",
    "artifact",
    "size_bytes",
    "calls",
    "reads",
    "first_at",
    "last_at",
)


@dataclass(slots=True)
class _Difference:
    project: int
    name: str
    artifact: int | None = None
    calls: int = 0
    reads: int = 0
    times: list[datetime] = field(default_factory=list)
    makers: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    is_less: bool = False  # a call that was there is not, or was at another time


def note_artifacts(changes: Iterable[Change | Gone], sizes: Sizes) -> None:
    """In the transaction that writes the calls."""
    found = _differences(changes)
    keys = sorted(found)
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        _write({key: found[key] for key in part}, sizes)


def _differences(changes: Iterable[Change | Gone]) -> dict[UseKey, _Difference]:
    found: dict[UseKey, _Difference] = {}
    for old, new in changes:
        if old is not None and new is not None and _said(old) == _said(new):
            continue
        for row, sign in ((old, -1), (new, 1)):
            if row is not None:
                _add(found, row, sign)
    return found


def _said(row: CallRow) -> tuple[object, ...]:
    return row.artifact_name, row.artifact, row.artifact_read, row.agent, row.at


def _add(found: dict[UseKey, _Difference], row: CallRow, sign: int) -> None:
    if row.artifact_name:
        use = _of(found, row, row.artifact_name)
        use.calls += sign
        use.makers[row.agent] += sign
        if sign > 0:
            use.times.append(row.at)
            use.artifact = row.artifact or use.artifact
        else:
            use.is_less = True
    if row.artifact_read:
        _of(found, row, row.artifact_read).reads += sign


def _of(found: dict[UseKey, _Difference], row: CallRow, name: str) -> _Difference:
    return found.setdefault((row.environment, digest_of(name)), _Difference(row.project, name))


def _write(found: Mapping[UseKey, _Difference], sizes: Sizes) -> None:
    ArtifactUse.objects.bulk_create(
        [
            ArtifactUse(
                project_id=told.project, environment_id=environment, digest=digest, name=told.name
            )
            for (environment, digest), told in found.items()
        ],
        ignore_conflicts=True,
    )
    rows = _locked(found)
    changed, gone = [], []
    for key, row in rows.items():
        told = found[key]
        calls, reads = row.calls + told.calls, row.reads + told.reads
        if calls <= 0 and reads <= 0:
            gone.append(row.pk)
            continue
        first, last = _times(row, told, calls)
        size = sizes.get(key, row.size_bytes) if calls else 0
        artifact = (told.artifact or row.artifact_id) if calls else None
        changed.append((row.pk, artifact, size, calls, reads, first, last))
    _write_makers({rows[key].pk: told.makers for key, told in found.items() if key in rows})
    bulk.update(ArtifactUse, _COLUMNS, changed)
    ArtifactMaker.objects.filter(use__in=gone).delete()
    ArtifactUse.objects.filter(pk__in=gone).delete()


def _locked(keys: Iterable[UseKey]) -> dict[UseKey, ArtifactUse]:
    by_environment: dict[int, list[bytes]] = defaultdict(list)
    for environment, digest in keys:
        by_environment[environment].append(digest)
    rows: dict[UseKey, ArtifactUse] = {}
    for environment, digests in sorted(by_environment.items()):
        found = ArtifactUse.objects.select_for_update().filter(
            environment=environment, digest__in=digests
        )
        for row in found.order_by("digest"):
            rows[environment, bytes(row.digest)] = row
    return rows


def _times(
    row: ArtifactUse, told: _Difference, calls: int
) -> tuple[datetime | None, datetime | None]:
    """Of the first and the newest call that refers to it."""
    if not calls:
        return None, None
    if told.is_less:  # perhaps one of these two; the calls are written already
        referring = calls_referring_to(row.project_id, row.name).filter(
            environment=row.environment_id
        )
        found = referring.order_by().aggregate(first=Min("at"), last=Max("at"))
        return found["first"], found["last"]
    times = [at for at in (row.first_at, row.last_at, *told.times) if at is not None]
    return min(times, default=None), max(times, default=None)


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
