"""Copying artifacts from one store to another, in stored form, each verified by its hash.

The copy can be stopped at any time and run again. The console may run meanwhile.
"""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import Final

from outcomes.artifacts.commands.places import mark_as_own, may_be_own
from outcomes.core.artifact_store import FrameReader, NotStored
from outcomes.core.artifact_store.frames import WINDOW
from outcomes.core.artifact_store.places import Entry, Place
from outcomes.models import Artifact

AT_ONCE: Final = 8
IN_ONE_QUERY: Final = 1_000
BEGINNINGS: Final = tuple(f"{number:02x}" for number in range(256))


class Outcome(Enum):
    COPIED = auto()
    PRESENT = auto()  # copied before
    GONE = auto()  # removed meanwhile, as no call referred to it
    DAMAGED = auto()  # its content does not match its hash: not copied


class MoveRefused(Exception):
    """Reason why nothing was moved."""


@dataclass(slots=True)
class Progress:
    copied: int = 0
    present: int = 0
    size: int = 0  # bytes copied
    damaged: list[str] = field(default_factory=list)

    @property
    def verified(self) -> int:
        return self.copied + self.present

    def add(self, entry: Entry, outcome: Outcome) -> None:
        match outcome:
            case Outcome.COPIED:
                self.copied += 1
                self.size += entry.stored_bytes
            case Outcome.PRESENT:
                self.present += 1
            case Outcome.DAMAGED:
                self.damaged.append(f"{entry.project_id}/{entry.sha256}")
            case Outcome.GONE:
                pass


def copy_artifacts(source: Place, target: Place, *, verify: bool) -> Iterator[Progress]:
    """Copy all artifacts and yield progress after each project. `verify` checks old copies too."""
    if source.name == target.name:
        raise MoveRefused("Both addresses name the same store.")
    if not may_be_own(target):
        raise MoveRefused(f"The store {target.name} belongs to another installation.")
    mark_as_own(target)
    progress = Progress()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for project in source.project_ids():
            for beginning in BEGINNINGS:
                entries = list(source.entries(project, beginning))
                sizes = _sizes(target, project, beginning) if entries else {}
                copy = partial(_copy, source, target, sizes, verify)
                for entry, outcome in zip(entries, pool.map(copy, entries), strict=True):
                    progress.add(entry, outcome)
            yield progress


def remove_copied(source: Place, target: Place) -> int:
    """Remove artifacts from the source that the target has. Returns their number."""
    removed = 0
    for project in source.project_ids():
        for beginning in BEGINNINGS:
            entries = list(source.entries(project, beginning))
            sizes = _sizes(target, project, beginning) if entries else {}
            for entry in entries:
                if sizes.get(entry.sha256) == entry.stored_bytes:
                    source.remove(project, entry.sha256)
                    removed += 1
    return removed


def missing_in(target: Place) -> tuple[int, int]:
    """Number of artifacts in the database, and how many of them this store lacks."""
    present_rows = Artifact.objects.filter(removed_at=None).order_by("project", "sha256")
    rows = present_rows.values_list("project", "sha256")
    named = missing = 0
    present: set[str] = set()
    part: tuple[int, str] | None = None
    for project, sha256 in rows.iterator(IN_ONE_QUERY):
        if part != (project, sha256[:2]):
            part = project, sha256[:2]
            present = {entry.sha256 for entry in target.entries(*part)}
        named += 1
        missing += sha256 not in present
    return named, missing


def _sizes(place: Place, project: int, beginning: str) -> dict[str, int]:
    return {each.sha256: each.stored_bytes for each in place.entries(project, beginning)}


def _copy(
    source: Place,
    target: Place,
    sizes: dict[str, int],
    verify: bool,  # noqa: FBT001 - bound by its place
    entry: Entry,
) -> Outcome:
    if sizes.get(entry.sha256) == entry.stored_bytes:
        if not verify or _is_right(target, entry):
            return Outcome.PRESENT
        target.remove(entry.project_id, entry.sha256)
    try:
        if not _is_right(source, entry):
            return Outcome.DAMAGED
        _copy_bytes(source, target, entry)
    except NotStored:
        return Outcome.GONE
    return Outcome.COPIED if _is_right(target, entry) else Outcome.DAMAGED


def _copy_bytes(source: Place, target: Place, entry: Entry) -> None:
    original = source.open(entry.project_id, entry.sha256)
    try:
        with target.draft(entry.project_id) as draft:
            for start in range(0, original.size, WINDOW):
                draft.write(original.read(start, min(start + WINDOW, original.size)))
            draft.keep(entry.sha256)
    finally:
        original.close()


def _is_right(place: Place, entry: Entry) -> bool:
    """Whether the content matches its hash. Raises NotHere if it is missing."""
    digest = hashlib.sha256()
    source = place.open(entry.project_id, entry.sha256)
    try:
        with FrameReader(source, entry.sha256) as reader:
            for piece in reader.bytes_of(0, reader.size_bytes):
                digest.update(piece)
    except NotStored as error:
        if isinstance(error, OSError):
            raise
        return False
    return digest.hexdigest() == entry.sha256
