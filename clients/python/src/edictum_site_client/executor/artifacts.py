"""Stores, in a folder or on the console, for outputs too large for a tool message."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
import threading
import urllib.parse
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from edictum_site_client.values import Withheld, fitted

if TYPE_CHECKING:
    from edictum_site_client.console import Console

TEMPORARY_BYTES = 1_000_000_000
LAST_LINE = 10**12 - 1  # greatest line number that the console accepts
_SHA256 = re.compile("[0-9a-f]{64}")


class ArtifactNotFound(LookupError):
    """The store has no artifact with this ID."""


@dataclass(frozen=True)
class StoredArtifact:
    artifact_id: str
    size_bytes: int
    is_cut: bool = False  # only part of the output is stored


class ArtifactStore(Protocol):
    """Artifact store. Lines count from 1, bytes from 0; `last` is inclusive, None means the end."""

    def put(self, tool_name: str, output: Any) -> StoredArtifact: ...

    def read_lines(self, artifact_id: str, first: int = 1, last: int | None = None) -> bytes: ...

    def read_bytes(self, artifact_id: str, first: int = 0, last: int | None = None) -> bytes: ...


def artifact_text(output: Any) -> str:
    """Content of an output's artifact: text unchanged, any other value as JSON."""
    if isinstance(output, str):
        return output
    return json.dumps(output, ensure_ascii=False, separators=(",", ":"))


def _encoded(output: Any) -> bytes:
    return artifact_text(output).encode("utf-8", "replace")  # lone surrogates aren't valid UTF-8


class FolderArtifacts:
    """Artifacts in files named by their SHA-256.

    Without a folder, uses a temporary one that is removed with the store. In a temporary folder,
    the oldest files are removed if the total exceeds `max_bytes`.
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None = None, *, max_bytes: int = TEMPORARY_BYTES
    ) -> None:
        self._folder = None if folder is None else Path(folder)
        self._is_temporary = folder is None
        self._max_bytes = max_bytes
        self._sizes: dict[str, int] = {}  # bytes by file, oldest first; only for a temporary folder
        self._lock = threading.Lock()

    def put(self, tool_name: str, output: Any) -> StoredArtifact:
        return self.keep(_encoded(output))

    def keep(self, content: bytes) -> StoredArtifact:
        name = hashlib.sha256(content).hexdigest()
        folder = self._made()
        handle, draft = tempfile.mkstemp(dir=folder, prefix="draft-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(draft).replace(folder / name)  # atomic: it may be read concurrently
        except BaseException:
            with suppress(OSError):
                Path(draft).unlink()
            raise
        if self._is_temporary:
            self._remove_oldest(folder, name, len(content))
        return StoredArtifact(name, len(content))

    def _remove_oldest(self, folder: Path, newest: str, size: int) -> None:
        with self._lock:
            self._sizes.pop(newest, None)
            self._sizes[newest] = size
            while sum(self._sizes.values()) > self._max_bytes and len(self._sizes) > 1:
                oldest = next(iter(self._sizes))
                del self._sizes[oldest]
                with suppress(OSError):
                    (folder / oldest).unlink()

    def read_lines(self, artifact_id: str, first: int = 1, last: int | None = None) -> bytes:
        first, last = _checked(first, last, lowest=1)
        with self._path(artifact_id).open("rb") as file:
            lines: Iterator[bytes] = islice(file, first - 1, last)
            content = b"".join(lines)
        if not content and first > 1:
            raise ValueError(f"The artifact has no line {first}.")
        return content

    def read_bytes(self, artifact_id: str, first: int = 0, last: int | None = None) -> bytes:
        first, last = _checked(first, last, lowest=0)
        with self._path(artifact_id).open("rb") as file:
            file.seek(first)
            content = file.read(-1 if last is None else last - first + 1)
        if not content and first > 0:
            raise ValueError(f"The artifact has no byte {first}.")
        return content

    def _made(self) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="edictum-artifacts-"))
                weakref.finalize(self, _remove, self._folder, os.getpid())
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._folder

    def _path(self, artifact_id: str) -> Path:
        if self._folder is not None and _SHA256.fullmatch(artifact_id):
            path = self._folder / artifact_id
            if path.is_file():
                return path
        raise ArtifactNotFound(f"There is no artifact {artifact_id[:80]!r}.")


def _remove(folder: Path, maker: int) -> None:
    if os.getpid() == maker:  # not in a forked child, which shares the folder
        shutil.rmtree(folder, ignore_errors=True)


class ConsoleArtifacts:
    """Artifacts stored on the console, masked like everything that leaves the agent.

    Uploads run in the background. Reads use a local copy; artifacts without one, such as those of
    earlier processes, are read from the console.
    """

    def __init__(self, console: Console, folder: str | os.PathLike[str] | None = None) -> None:
        self._console = console
        self._copies = FolderArtifacts(folder)

    def put(self, tool_name: str, output: Any) -> StoredArtifact:
        masking = self._console.masking
        try:
            if not masking.outputs:
                raise Withheld("no output leaves this agent")
            masked, is_cut = fitted(tool_name, output, masking)
        except Withheld:
            return self._copies.put(tool_name, output)  # kept locally only, but still has an ID
        content = _encoded(masked)
        stored = self._copies.keep(content)
        is_text = isinstance(masked, str)
        self._console.upload(content, "text/plain" if is_text else "application/json")
        return replace(stored, is_cut=is_cut)

    def read_lines(self, artifact_id: str, first: int = 1, last: int | None = None) -> bytes:
        try:
            return self._copies.read_lines(artifact_id, first, last)
        except ArtifactNotFound:
            first, last = _checked(first, last, lowest=1)
            lines = f"?lines={first}-{last or LAST_LINE}"
            return self._fetched(artifact_id, lines, {}, f"line {first}")

    def read_bytes(self, artifact_id: str, first: int = 0, last: int | None = None) -> bytes:
        try:
            return self._copies.read_bytes(artifact_id, first, last)
        except ArtifactNotFound:
            first, last = _checked(first, last, lowest=0)
            ranged = {"Range": f"bytes={first}-{'' if last is None else last}"}
            return self._fetched(artifact_id, "", ranged, f"byte {first}")

    def _fetched(self, artifact_id: str, query: str, headers: dict[str, str], place: str) -> bytes:
        path = f"artifacts/{urllib.parse.quote(artifact_id, safe='')}{query}"
        try:
            answer = self._console.fetch(path, headers)
        except Exception as error:
            raise ArtifactNotFound(f"The console cannot be asked for it: {error}") from error
        if answer.status == 416:
            raise ValueError(f"The artifact has no {place}.")
        if answer.status not in (200, 206):
            raise ArtifactNotFound(
                f"The console has no artifact {artifact_id[:80]!r} for this key:"
                f" HTTP {answer.status}."
            )
        return answer.body


def _checked(first: int, last: int | None, *, lowest: int) -> tuple[int, int | None]:
    if first < lowest or (last is not None and last < first):
        raise ValueError(f"{first} to {last} is no range: it begins at {lowest} or later.")
    return first, last
