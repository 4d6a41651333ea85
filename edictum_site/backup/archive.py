"""Backup file: a zstd-compressed tar.

Database parts are named by their hash, so a restore verifies each before it uses it; artifact names
contain a hash already. The manifest is last: a file without one was cut off.
"""

import hashlib
import io
import json
import re
import sys
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FORMAT: Final = 1
HEADER, SECRET, MANIFEST = "edictum-site-backup.json", "secret-key", "manifest.json"
PART_BYTES: Final = 16 * 1024 * 1024
_LEVEL: Final = 3
_INCOMPLETE: Final = "The backup is damaged: its description is incomplete."
_ARTIFACT: Final = re.compile(r"artifacts/(\d{1,19})/([0-9a-f]{64})")
_PART: Final = re.compile(r"database/\d{6}-([0-9a-f]{64})")


class NotABackup(Exception):
    """A file can't be restored; the message is one sentence with the reason."""


@dataclass(frozen=True, slots=True)
class Header:
    """Origin of a backup: read before anything is written."""

    made_at: str
    version: str  # of the console
    database: str  # SQLite or PostgreSQL
    server: int  # major version of PostgreSQL; 0 on SQLite
    migrations: list[list[str]]  # app and name
    format: int = FORMAT


@dataclass(frozen=True, slots=True)
class Manifest:
    """Counts and hashes of everything in the file."""

    rows: dict[str, int]  # by table
    artifacts: int
    artifact_bytes: int
    unreadable: list[str]  # artifacts that the store couldn't return: project/SHA-256
    parts: int
    database_bytes: int
    database_sha256: str
    secret_sha256: str


class Writer:
    """Adds entries to a backup; created by `writing`."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive = archive
        self._sha256 = hashlib.sha256()
        self.parts = self.database_bytes = 0

    def add_header(self, header: Header) -> None:
        self.add(HEADER, _json(asdict(header)))

    def add_manifest(self, manifest: Manifest) -> None:
        self.add(MANIFEST, _json(asdict(manifest)))

    def add_artifact(self, project: int, sha256: str, content: IO[bytes], size: int) -> None:
        self._put(f"artifacts/{project}/{sha256}", content, size)

    def add_part(self, part: bytes) -> None:
        self._sha256.update(part)
        self.parts += 1
        self.database_bytes += len(part)
        self.add(f"database/{self.parts:06}-{hashlib.sha256(part).hexdigest()}", part)

    @property
    def database_sha256(self) -> str:
        return self._sha256.hexdigest()

    def add(self, name: str, content: bytes) -> None:
        self._put(name, io.BytesIO(content), len(content))

    def _put(self, name: str, content: IO[bytes], size: int) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode, entry.mtime = size, 0o600, int(time.time())
        self._archive.addfile(entry, content)


@contextmanager
def writing(file: IO[bytes]) -> Iterator[Writer]:
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: _LEVEL,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    with (
        zstd.ZstdFile(file, "w", options=options) as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as archive,
    ):
        yield Writer(archive)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, to be read before the next one is requested."""

    name: str
    size: int
    source: Path
    content: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        with _readable(self.source):
            return self.content.read(size)

    def artifact(self) -> tuple[int, str] | None:
        """Project and SHA-256; None for another kind of entry."""
        match = _ARTIFACT.fullmatch(self.name)
        return (int(match[1]), match[2]) if match else None

    def part(self) -> bytes | None:
        """Database part, verified against its hash; None for another kind of entry."""
        match = _PART.fullmatch(self.name)
        if match is None:
            return None
        if self.size > PART_BYTES:
            raise NotABackup(f"The backup is damaged: {self.name} is too large.")
        part = self.read()
        if hashlib.sha256(part).hexdigest() != match[1]:
            raise NotABackup(f"The backup is damaged: {self.name} does not match its hash.")
        return part


def entries(path: Path) -> Iterator[Entry]:
    """All entries in file order. Raises NotABackup if the file can't be read."""
    with (
        zstd.open(path, "rb") as packed,
        _readable(path),
        tarfile.open(fileobj=packed, mode="r|") as archive,
    ):
        for member in archive:
            content = archive.extractfile(member) if member.isreg() else None
            if content is None:
                raise NotABackup(f"{path} has an entry that is not a file: {member.name}.")
            yield Entry(member.name, member.size, path, content)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zstd.ZstdError, EOFError) as error:
        raise NotABackup(f"{path} is not a complete Edictum Site backup: {error}.") from None


def header_of(entry: Entry) -> Header:
    values = _values(entry, HEADER)
    if values.get("format") != FORMAT:
        raise NotABackup(
            f"The backup has the format {values.get('format')}, this version reads {FORMAT}."
            " Restore it with the version that created it."
        )
    try:
        return Header(**values)
    except TypeError:
        raise NotABackup(_INCOMPLETE) from None


def manifest_of(entry: Entry) -> Manifest:
    try:
        return Manifest(**_values(entry, MANIFEST))
    except TypeError:
        raise NotABackup(_INCOMPLETE) from None


def _values(entry: Entry, name: str) -> dict[str, Any]:
    if entry.name != name:
        raise NotABackup(f"The file is not an Edictum Site backup: {name} is missing.")
    try:
        values = json.loads(entry.read())
    except ValueError:
        raise NotABackup(f"The backup is damaged: {name} is not valid JSON.") from None
    return values if isinstance(values, dict) else {}


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, indent=1, sort_keys=True).encode()
