"""The door that both kinds of artifact store have: a folder, and a bucket of an object store."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from outcomes.core.artifact_store.faults import NotStored


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored file or object."""

    project_id: int
    sha256: str
    stored_bytes: int
    stored_at: datetime


class Source(Protocol):
    """A stored file or object, open for reading."""

    size: int

    def read(self, start: int, stop: int) -> bytes: ...

    def close(self) -> None: ...


class Draft(Protocol):
    """Content on its way in, under no name yet."""

    def write(self, packed: bytes, /) -> int: ...

    def keep(self, sha256: str) -> None:
        """Store it durably under this name."""


class Place(Protocol):
    """One store of artifacts. Every method raises OSError while it cannot be used."""

    name: str  # for people: without credentials
    at_once: int  # requests worth making side by side

    @property
    def folder(self) -> Path | None:
        """On a disk of this host; None for a bucket."""

    def draft(self, project_id: int) -> AbstractContextManager[Draft]:
        """Leaves nothing behind unless it was kept."""

    def open(self, project_id: int, sha256: str) -> Source:
        """Raises NotHere where there is none."""

    def size_of(self, project_id: int, sha256: str) -> int | None:
        """Stored bytes: compressed, with the index; None where there is none."""

    def remove(self, project_id: int, sha256: str) -> None: ...

    def entries(self, project_id: int | None = None, beginning: str = "") -> Iterator[Entry]:
        """Everything that is stored; of one project, and whose name begins so."""

    def project_ids(self) -> list[int]: ...

    def remove_drafts(self, *, older_than: timedelta) -> int: ...

    def drafts(self, *, older_than: timedelta) -> int:
        """Number of uploads whose process was killed, and that are not removed yet."""

    def try_to_write(self) -> None: ...

    def mark(self) -> str:
        """Name of the installation that this store belongs to; empty for none."""

    def set_mark(self, mark: str) -> None: ...


def is_name(text: str) -> bool:
    """Whether an artifact could have this name; users write whatever they like in its place."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def key_of(project_id: int, sha256: str) -> str:
    """Path of an artifact below its store: 7/ab/abcd…"""
    if not is_name(sha256):
        raise NotStored(sha256)
    return f"{project_id}/{sha256[:2]}/{sha256}"
