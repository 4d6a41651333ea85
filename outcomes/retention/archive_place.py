"""Storage for archived days: a folder, or a bucket of an object store."""

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from django.conf import settings

from outcomes.core.artifact_store.addresses import objects_at, parsed

if TYPE_CHECKING:
    from obstore.store import ObjectStore

CHUNK: Final = 5 * 1024 * 1024  # bytes of a part, the minimum that S3 accepts


class ArchivePlace(Protocol):
    drafts: Path  # folder for incomplete files

    def store(self, name: str, file: Path, sha256: str) -> None:
        """Store the file atomically; raises OSError if it is not stored completely."""


class ArchiveFolder:
    def __init__(self, folder: Path) -> None:
        # Not matched by the queries in docs/archive.md.
        self.drafts, self._folder = folder / ".drafts", folder

    def store(self, name: str, file: Path, sha256: str) -> None:
        target = self._folder / name
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sync(file)
        file.replace(target)
        _sync(target.parent)


class ArchiveBucket:
    def __init__(self, objects: "ObjectStore", drafts: Path) -> None:
        self.drafts, self._objects = drafts, objects

    def store(self, name: str, file: Path, sha256: str) -> None:
        """Upload the file and read it back, because only what the store holds counts."""
        from obstore.exceptions import BaseError  # noqa: PLC0415 - only installs with a bucket

        try:
            with file.open("rb") as content:
                self._objects.put(name, content, chunk_size=CHUNK, max_concurrency=2)
            if self._digest_of(name) != sha256:
                raise OSError(f"the object store has other bytes of {name}")
        except BaseError as error:
            raise OSError(str(error).partition("\n")[0].partition("?")[0]) from error

    def _digest_of(self, name: str) -> str:
        digest = hashlib.sha256()
        for chunk in self._objects.get(name).stream(min_chunk_size=CHUNK):
            digest.update(bytes(chunk))
        return digest.hexdigest()


def _sync(path: Path) -> None:
    """Flush the file to disk, since its data is removed from the database next."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def archive_place() -> ArchivePlace:
    """Storage that EDICTUM_SITE_ARCHIVE names."""
    if "://" not in settings.ARCHIVE:
        return ArchiveFolder(Path(settings.ARCHIVE))
    address = parsed(settings.ARCHIVE)
    if address.scheme == "file":
        return ArchiveFolder(Path(address.path))
    objects = objects_at(address, settings.ARTIFACT_SECRETS)
    return ArchiveBucket(objects, Path(settings.DATA) / "uploads")


def digest_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
