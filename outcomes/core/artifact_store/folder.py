"""Artifacts in a folder, local to this host or mounted by all hosts."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Final

from outcomes.core.artifact_store.faults import NotHere
from outcomes.core.artifact_store.frames import MAGIC
from outcomes.core.artifact_store.places import Entry, is_name, key_of

DRAFT: Final = "draft-"
_MARK: Final = "installation"


class Folder:
    at_once = 1

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = folder.as_uri()

    @property
    def folder(self) -> Path:
        return self._folder

    @contextmanager
    def draft(self, project_id: int) -> Iterator["_Draft"]:
        folder = self._of(project_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{DRAFT}{secrets.token_hex(8)}"
        try:
            with path.open("xb") as file:
                yield _Draft(file, path, self.folder, project_id)
        finally:
            path.unlink(missing_ok=True)

    def open(self, project_id: int, sha256: str) -> "_File":
        try:
            return _File(self._path(project_id, sha256).open("rb"))
        except FileNotFoundError:
            raise NotHere(sha256) from None

    def size_of(self, project_id: int, sha256: str) -> int | None:
        with suppress(FileNotFoundError):
            return self._path(project_id, sha256).stat().st_size
        return None

    def remove(self, project_id: int, sha256: str) -> None:
        self._path(project_id, sha256).unlink(missing_ok=True)

    def entries(self, project_id: int | None = None, beginning: str = "") -> Iterator[Entry]:
        of = self.project_ids() if project_id is None else [project_id]
        for project in of:
            for path in self._of(project).glob(f"{beginning[:2] or '*'}/{beginning}*"):
                if is_name(path.name):
                    with suppress(FileNotFoundError):  # removed meanwhile
                        yield _entry(project, path)

    def project_ids(self) -> list[int]:
        if not self.folder.is_dir():
            return []
        return sorted(int(each.name) for each in self.folder.iterdir() if each.name.isdecimal())

    def remove_drafts(self, *, older_than: timedelta) -> int:
        """Remove drafts of uploads whose process was killed. Returns their number."""
        removed = 0
        for draft in self._drafts(older_than):
            with suppress(FileNotFoundError):  # its upload has just ended
                draft.unlink()
                removed += 1
        return removed

    def drafts(self, *, older_than: timedelta) -> int:
        return sum(1 for _ in self._drafts(older_than))

    def _drafts(self, older_than: timedelta) -> Iterator[Path]:
        before = time.time() - older_than.total_seconds()
        for draft in self.folder.glob(f"*/{DRAFT}*"):
            with suppress(FileNotFoundError):
                if draft.stat().st_mtime < before:
                    yield draft

    def try_to_write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        trial = self.folder / f"trial-{secrets.token_hex(8)}"
        try:
            trial.write_bytes(MAGIC)
        finally:
            trial.unlink(missing_ok=True)

    def mark(self) -> str:
        with suppress(FileNotFoundError):
            return (self.folder / _MARK).read_text("ascii")
        return ""

    def set_mark(self, mark: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.folder / _MARK).write_text(mark, "ascii")

    def _of(self, project_id: int) -> Path:
        return self.folder / str(project_id)

    def _path(self, project_id: int, sha256: str) -> Path:
        return self.folder / key_of(project_id, sha256)


class _Draft:
    def __init__(self, file: IO[bytes], path: Path, folder: Path, project_id: int) -> None:
        self._file, self._path = file, path
        self._folder, self._project_id = folder, project_id
        self.write = file.write

    def keep(self, sha256: str) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        target = self._folder / key_of(self._project_id, sha256)
        target.parent.mkdir(exist_ok=True, mode=0o700)
        self._path.replace(target)
        _sync_folder(target.parent)


class _File:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size = file.seek(0, os.SEEK_END)

    def read(self, start: int, stop: int) -> bytes:
        self._file.seek(start)
        return self._file.read(stop - start)

    def close(self) -> None:
        self._file.close()


def _entry(project_id: int, path: Path) -> Entry:
    stat = path.stat()
    return Entry(project_id, path.name, stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
