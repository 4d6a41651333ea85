"""Create a backup of this installation while it runs."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.utils import timezone

from edictum_site.backup.archive import SECRET, Header, Manifest, Writer, writing
from edictum_site.backup.database import snapshot
from edictum_site.backup.rows import Snapshot, row_counts
from edictum_site.help.release import version
from outcomes.core import artifact_store
from outcomes.database import NAME, removals_held_back

PATIENCE: Final = 60.0  # seconds to wait for another backup to finish
_IN_MEMORY: Final = 8 * 1024 * 1024  # bytes of an artifact; larger ones use a temporary file
_MIGRATIONS: Final = "SELECT app, name FROM django_migrations ORDER BY id"
_ARTIFACTS: Final = (
    "SELECT project_id, sha256 FROM outcomes_artifact WHERE removed_at IS NULL ORDER BY id"
)


class BackupRefused(Exception):
    """No backup was created; the message is one sentence."""


def make_backup(target: Path) -> Manifest:
    """Write a backup. The file gets its final name once it is complete."""
    if target.exists():
        raise BackupRefused(f"{target} already exists. Choose another name, or remove it.")
    with removals_held_back(PATIENCE) as is_held, _draft_of(target) as file:
        if not is_held:
            raise BackupRefused("Another backup is running. Wait until it finishes.")
        with snapshot(target.parent) as rows, writing(file) as writer:
            return _write(writer, rows)


def _write(writer: Writer, snapshot: Snapshot) -> Manifest:
    """Write all entries. Artifacts precede the database, so that a restore commits rows last."""
    migrations = [[app, name] for app, name in snapshot.execute(_MIGRATIONS)]
    made_at = timezone.now().isoformat(timespec="seconds")
    writer.add_header(Header(made_at, version(), NAME, snapshot.server, migrations))
    secret = settings.SECRET_KEY.encode()
    writer.add(SECRET, secret)
    artifacts = _Artifacts(writer)
    for project, sha256 in snapshot.execute(_ARTIFACTS):
        artifacts.add(int(project), str(sha256))
    for part in snapshot.parts():
        writer.add_part(part)
    manifest = Manifest(
        row_counts(snapshot),
        artifacts.count,
        artifacts.size,
        artifacts.unreadable,
        writer.parts,
        writer.database_bytes,
        writer.database_sha256,
        hashlib.sha256(secret).hexdigest(),
    )
    writer.add_manifest(manifest)
    return manifest


class _Artifacts:
    """Artifacts copied so far."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self.count = self.size = 0
        self.unreadable: list[str] = []

    def add(self, project: int, sha256: str) -> None:
        """Copy an artifact if it was read completely and its hash matches; otherwise note its
        name as unreadable."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as content:
            try:
                is_right = _read(project, sha256, content)
            except (artifact_store.NotStored, OSError):
                is_right = False
            if not is_right:
                self.unreadable.append(f"{project}/{sha256}")
                return
            size = content.tell()
            content.seek(0)
            self._writer.add_artifact(project, sha256, content, size)
            self.count += 1
            self.size += size


def _read(project: int, sha256: str, target: IO[bytes]) -> bool:
    digest = hashlib.sha256()
    with artifact_store.Reader(project, sha256) as reader:
        for piece in reader.bytes_of(0, reader.size_bytes):
            digest.update(piece)
            target.write(piece)
    return digest.hexdigest() == sha256


@contextmanager
def _draft_of(target: Path) -> Iterator[IO[bytes]]:
    """Temporary file, readable only by its owner as it contains the secret key, that is renamed
    once complete."""
    draft = target.with_name(f"{target.name}.partial")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise BackupRefused(f"Cannot write {draft}: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.rename(target)
    finally:
        draft.unlink(missing_ok=True)
