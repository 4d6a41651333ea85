"""Interface of both kinds of artifact store: a folder, and a bucket in an object store."""

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
    """Content being uploaded, not stored under a name yet."""

    def write(self, packed: bytes, /) -> int: ...

    def keep(self, sha256: str) -> None:
        """Store it durably under this name."""


class Place(Protocol):
    """One store of artifacts. Every method raises OSError while the store is unavailable."""

    name: str  # for display, without credentials
    at_once: int  # useful number of parallel requests

    @property
    def folder(self) -> Path | None:
        """Folder on a local or mounted disk, or None for a bucket."""

    def draft(self, project_id: int) -> AbstractContextManager[Draft]:
        """New draft, which is discarded unless it is kept."""

    def open(self, project_id: int, sha256: str) -> Source:
        """Open an artifact. Raises NotHere if it is missing."""

    def size_of(self, project_id: int, sha256: str) -> int | None:
        """Stored size in bytes, compressed and including the index, or None if it is missing."""

    def remove(self, project_id: int, sha256: str) -> None: ...

    def entries(self, project_id: int | None = None, beginning: str = "") -> Iterator[Entry]:
        """All stored artifacts, optionally of one project and with this name prefix."""

    def project_ids(self) -> list[int]: ...

    def remove_drafts(self, *, older_than: timedelta) -> int: ...

    def drafts(self, *, older_than: timedelta) -> int:
        """Number of drafts left by uploads whose process was killed."""

    def try_to_write(self) -> None: ...

    def mark(self) -> str:
        """Installation that this store belongs to, or empty."""

    def set_mark(self, mark: str) -> None: ...


def is_name(text: str) -> bool:
    """Whether this is a valid artifact name. Users may send anything instead of one."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def key_of(project_id: int, sha256: str) -> str:
    """Path of an artifact within the store: 7/ab/abcd…"""
    if not is_name(sha256):
        raise NotStored(sha256)
    return f"{project_id}/{sha256[:2]}/{sha256}"
