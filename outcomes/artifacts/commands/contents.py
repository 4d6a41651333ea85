"""Artifacts of one claim: large outputs that it stores, and stored ones that it refers to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.utils import timezone

from governance.core.json_value import Json
from outcomes.core import artifact_store
from outcomes.models import Artifact
from outcomes.record.classification import (
    CHECKED_LIMIT,
    STORED_BY_AGENT,
    TOO_LARGE,
    Unreadable,
    artifact_value,
)

ArtifactKey = tuple[int, str]  # project, and the SHA-256 or any other name that an agent wrote

AWAY = Unreadable("The stored output cannot be read at the moment.", is_fault=True)
DAMAGED = Unreadable("The stored output is damaged.", is_fault=True)
# Not a store error, but no evidence about the call either: its verdict stays.
REMOVED = Unreadable("Retention removed the stored output.", is_fault=True)
IN_ONE_QUERY = 500
# Stored bytes of outputs whose values are cached. Parsed JSON can take twenty times as much, and
# each of a thousand calls may refer to a different artifact.
REMEMBERED = 32 * 1024 * 1024


class RemovedMeanwhile(Exception):
    """Content stored by this claim was removed with the last call that referred to it. Reading the
    claim again stores it again."""


@dataclass(frozen=True, slots=True)
class _Known:
    size_bytes: int
    media_type: str
    is_removed: bool = False


@dataclass(slots=True)
class Contents:
    fault: str = ""  # error of the last failed read
    is_away: bool = False  # whether that error may be temporary
    _contents: dict[ArtifactKey, _Known] = field(default_factory=dict)
    _known: dict[ArtifactKey, _Known | None] = field(default_factory=dict)
    _values: dict[ArtifactKey, Json | Unreadable] = field(default_factory=dict)
    _remembered: int = 0

    def keep(self, project: int, outputs: Sequence[tuple[bytes, str]]) -> None:
        """Store large outputs: files now, rows when the claim is written."""
        every = artifact_store.store_all(project, (content for content, _ in outputs))
        for stored, (content, media_type) in zip(every, outputs, strict=True):
            key = (project, stored.sha256)
            self._contents[key] = _Known(stored.size_bytes, media_type)
            self._make_room(stored.size_bytes)
            self._values[key] = artifact_value(content, media_type)

    def learn(self, keys: Iterable[ArtifactKey]) -> None:
        """Load the rows of these artifacts in bulk, for later lookups."""
        missing = set(keys) - self._contents.keys() - self._known.keys()
        self._known.update(dict.fromkeys(missing))
        for project, part in _by_project(missing):
            # Unordered: to sort them, SQLite would scan all artifacts of the project.
            for row in Artifact.objects.filter(project=project, sha256__in=part).order_by():
                self._known[project, row.sha256] = _Known(
                    row.size_bytes, row.media_type, is_removed=row.removed_at is not None
                )

    def is_known(self, key: ArtifactKey) -> bool:
        """Whether this claim has already looked up this artifact."""
        return key in self._contents or key in self._known

    def size_of(self, project: int, artifact_id: str) -> int:
        """Stored size in bytes; 0 for an artifact that is not stored."""
        key = (project, artifact_id)
        self.learn([key])
        known = self._contents.get(key) or self._known[key]
        return known.size_bytes if known else 0

    def value_or_fault(self, project: int, artifact_id: str) -> Json | Unreadable:
        """Complete output, or the reason why it cannot be read now."""
        try:
            return self.value_of(project, artifact_id)
        except OSError as error:
            self.fault = artifact_store.fault_words(error)
            self.is_away = artifact_store.may_pass(error)
            return AWAY

    def value_of(self, project: int, artifact_id: str) -> Json | Unreadable:
        """Complete output as a check reads it. Raises OSError while the store is unreadable."""
        key = (project, artifact_id)
        if key not in self._values:
            self.learn([key])
            known = self._contents.get(key) or self._known[key]
            self._make_room(known.size_bytes if known else 0)
            self._values[key] = _read(key, known)
        return self._values[key]

    def _make_room(self, size: int) -> None:
        if size > CHECKED_LIMIT:
            return  # too large to be read
        if self._remembered + size > REMEMBERED:
            self._values, self._remembered = {}, 0
        self._remembered += size

    def write(self) -> dict[ArtifactKey, int]:
        """Ids of all rows by key, created or saved from removal.

        They stay locked until the calls that refer to them are written, so nothing removes them in
        between.
        """
        now = timezone.now()
        rows = [
            Artifact(
                project_id=project,
                sha256=sha256,
                size_bytes=known.size_bytes,
                media_type=known.media_type,
                created_at=now,
                removed_at=None,
            )
            for (project, sha256), known in sorted(self._contents.items(), key=lambda item: item[0])
        ]
        Artifact.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["project", "sha256"],
            update_fields=["created_at", "removed_at"],
        )
        referred = {key for key, known in self._known.items() if known is not None}
        rows_locked = dict(locked(self._contents.keys() | referred))
        for project, part in _by_project(self._contents):  # locked, so not removed from now on
            if None in artifact_store.stored_sizes(project, part):
                raise RemovedMeanwhile
        return rows_locked


def locked(keys: Iterable[ArtifactKey]) -> Iterator[tuple[ArtifactKey, int]]:
    """Ids of the artifacts that are stored here, locked."""
    for project, part in _by_project(keys):
        rows = Artifact.objects.select_for_update().filter(project=project, sha256__in=part)
        for sha256, row_id in rows.order_by("sha256").values_list("sha256", "id"):
            yield (project, sha256), row_id


def _read(key: ArtifactKey, known: _Known | None) -> Json | Unreadable:
    if known is None:
        return STORED_BY_AGENT
    if known.is_removed:
        return REMOVED
    if known.size_bytes > CHECKED_LIMIT:
        return TOO_LARGE
    try:
        with artifact_store.Reader(*key) as reader:
            content = b"".join(reader.bytes_of(0, reader.size_bytes))
    except artifact_store.NotHere:
        raise
    except artifact_store.NotStored:
        return DAMAGED
    return artifact_value(content, known.media_type)


def _by_project(keys: Iterable[ArtifactKey]) -> Iterator[tuple[int, list[str]]]:
    ordered = sorted(keys)
    for project in dict.fromkeys(project for project, _ in ordered):
        names = [name for place, name in ordered if place == project]
        for start in range(0, len(names), IN_ONE_QUERY):
            yield project, names[start : start + IN_ONE_QUERY]
