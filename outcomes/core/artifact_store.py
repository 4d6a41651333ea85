"""Artifacts on disk: streamed in and out under their SHA-256, compressed, readable by part.

A file holds its content as independent zstd frames of 256 KiB, so that a range costs the frames it
touches and nothing is ever held whole; behind them an index of where each frame begins, in bytes
and in lines.
"""

import hashlib
import os
import secrets
import socket
import struct
import sys
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME = 256 * 1024
MAGIC = b"edictum1"
DRAFT = "draft-"
_TAIL = struct.Struct("<QQQ8s")  # bytes, newlines, frames, magic


class NotStored(Exception):
    """No artifact of that name lies here."""


class NotHere(NotStored, OSError):
    """The file is missing on this host. If a row of it exists, the place is at fault: a folder that
    is not mounted, or not the shared one."""


def fault_words(error: Exception) -> str:
    """The fault of the store in words, without the paths of its folders."""
    if isinstance(error, NotHere):
        return f"The file of the artifact {error.args[0]} is missing on {socket.gethostname()}."
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"The artifact store cannot be used on {socket.gethostname()}: {reason}."


@dataclass(frozen=True, slots=True)
class Stored:
    sha256: str
    size_bytes: int


def store(project_id: int, chunks: Iterable[bytes]) -> Stored:
    """Write what comes, durably, and say under which name; the same content is kept once."""
    folder = _folder(project_id)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder / f"{DRAFT}{secrets.token_hex(8)}"
    try:
        with draft.open("xb") as file:
            writer = _Writer(file.write)
            for chunk in chunks:
                writer.take(chunk)
            stored = writer.finish()
            file.flush()
            os.fsync(file.fileno())
        target = _path(project_id, stored.sha256)
        target.parent.mkdir(exist_ok=True, mode=0o700)
        draft.replace(target)
        _sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)
    return stored


def remove_drafts(*, older_than: timedelta) -> int:
    """Those of uploads whose process was killed; how many."""
    before, removed = time.time() - older_than.total_seconds(), 0
    for draft in root().glob(f"*/{DRAFT}*"):
        with suppress(FileNotFoundError):  # its upload has ended meanwhile
            if draft.stat().st_mtime < before:
                draft.unlink()
                removed += 1
    return removed


def try_to_write() -> None:
    """Raise OSError where nothing can be stored now."""
    folder = root()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    trial = folder / f"trial-{secrets.token_hex(8)}"
    try:
        trial.write_bytes(MAGIC)
    finally:
        trial.unlink(missing_ok=True)


def is_name(text: str) -> bool:
    """Whether an artifact could be called so; users write whatever they like in its place."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def remove(project_id: int, sha256: str) -> None:
    _path(project_id, sha256).unlink(missing_ok=True)


def stored_bytes(project_id: int, sha256: str) -> int | None:
    """Bytes on disk, compressed and with the index; None when the file is gone."""
    with suppress(OSError):
        return _path(project_id, sha256).stat().st_size
    return None


class Reader:
    """One stored artifact, open for reading; use it as a context manager."""

    def __init__(self, project_id: int, sha256: str) -> None:
        try:
            self._file = _path(project_id, sha256).open("rb")
        except FileNotFoundError:
            raise NotHere(sha256) from None
        try:
            self._read_index()
        except (ValueError, OverflowError, struct.error):
            self._file.close()
            raise NotStored(sha256) from None  # a disk that forgets is no reason to fail elsewhere
        except OSError:
            self._file.close()
            raise

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def _read_index(self) -> None:
        size = self._file.seek(0, os.SEEK_END)
        if size < _TAIL.size:
            raise ValueError
        end = self._file.seek(size - _TAIL.size)
        self.size_bytes, self.newlines, frames, magic = _TAIL.unpack(self._file.read(_TAIL.size))
        index = array("Q")
        self._end = end - frames * 3 * index.itemsize
        if magic != MAGIC or self._end < 0:
            raise ValueError
        self._file.seek(self._end)
        index.frombytes(self._file.read(frames * 3 * index.itemsize))
        self._at, self._bytes, self._lines = index[0::3], index[1::3], index[2::3]

    def bytes_of(self, start: int, stop: int) -> Iterator[bytes]:
        """The bytes from start up to, not including, stop."""
        stop = min(stop, self.size_bytes)
        if start >= stop:
            return
        for number in range(bisect_right(self._bytes, start) - 1, len(self._at)):
            first = self._bytes[number]
            if first >= stop:
                return
            frame = self._frame(number)
            yield frame[max(start - first, 0) : stop - first]

    @property
    def lines(self) -> int:
        """How many lines there are; one without its newline at the end counts too."""
        if not self.size_bytes:
            return 0
        ends = b"".join(self.bytes_of(self.size_bytes - 1, self.size_bytes)) == b"\n"
        return int(self.newlines) + (not ends)

    def line_at(self, place: int) -> int:
        """The number of the line that a byte is in."""
        number = bisect_right(self._bytes, min(place, self.size_bytes)) - 1
        if number < 0:
            return 1
        before = self._frame(number).count(b"\n", 0, place - self._bytes[number])
        return int(self._lines[number]) + before + 1

    def place_of_lines(self, first: int, last: int) -> tuple[int, int]:
        """Byte range of lines first to last, counted from one, both included."""
        start = self.start_of_line(first)
        return start, max(start, self.start_of_line(last + 1))

    def start_of_line(self, line: int) -> int:
        """Byte at which a line begins; the size where there is no such line."""
        newlines = line - 1
        if newlines <= 0:
            return 0
        if newlines > self.newlines:
            return int(self.size_bytes)
        # The last frame with fewer newlines before it holds the one that ends the line before.
        number = bisect_right(self._lines, newlines - 1) - 1
        frame, place = self._frame(number), -1
        for _ in range(newlines - self._lines[number]):
            place = frame.index(b"\n", place + 1)
        return int(self._bytes[number]) + place + 1

    def _frame(self, number: int) -> bytes:
        end = self._at[number + 1] if number + 1 < len(self._at) else self._end
        self._file.seek(self._at[number])
        try:
            return zstd.decompress(self._file.read(end - self._at[number]))
        except zstd.ZstdError:
            raise NotStored(self._file.name) from None


class Part:
    """Some bytes of a stored artifact as a file to read once; closing it closes the artifact."""

    def __init__(self, reader: Reader, start: int, stop: int) -> None:
        self._reader = reader
        self._pieces = reader.bytes_of(start, stop)
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        parts, room = [], size if size >= 0 else sys.maxsize
        while room > 0:
            if not self._rest:
                self._rest = next(self._pieces, b"")
                if not self._rest:
                    break
            parts.append(self._rest[:room])
            self._rest = self._rest[room:]
            room -= len(parts[-1])
        return b"".join(parts)

    def close(self) -> None:
        self._reader.close()


class _Writer:
    def __init__(self, write: Callable[[bytes], int]) -> None:
        self._write = write
        self._hash = hashlib.sha256()
        self._buffer = bytearray()
        self._index = array("Q")
        self._size = self._newlines = self._at = 0

    def take(self, chunk: bytes) -> None:
        self._hash.update(chunk)
        self._buffer += chunk
        while len(self._buffer) >= FRAME:
            self._put(bytes(self._buffer[:FRAME]))
            del self._buffer[:FRAME]

    def finish(self) -> Stored:
        if self._buffer:
            self._put(bytes(self._buffer))
        self._write(self._index.tobytes())
        self._write(_TAIL.pack(self._size, self._newlines, len(self._index) // 3, MAGIC))
        return Stored(self._hash.hexdigest(), self._size)

    def _put(self, frame: bytes) -> None:
        self._index.extend((self._at, self._size, self._newlines))
        packed = zstd.compress(frame, 3)
        self._write(packed)
        self._at += len(packed)
        self._size += len(frame)
        self._newlines += frame.count(b"\n")


def root() -> Path:
    return Path(settings.DATA) / "artifacts"


def _folder(project_id: int) -> Path:
    return root() / str(project_id)


def _path(project_id: int, sha256: str) -> Path:
    if not is_name(sha256):
        raise NotStored(sha256)
    return _folder(project_id) / sha256[:2] / sha256


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
