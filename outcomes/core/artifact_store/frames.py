"""Storage format of artifacts: compressed, and readable by range.

Content is stored as independent zstd frames of 256 KiB, so that a range costs only the frames it
overlaps and artifacts are never loaded completely. An index at the end has the start of each frame,
in bytes and lines.
"""

import hashlib
import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from outcomes.core.artifact_store.faults import NotStored
from outcomes.core.artifact_store.places import Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FRAME: Final = 256 * 1024
MAGIC: Final = b"edictum1"
WINDOW: Final = 1024 * 1024  # compressed bytes of one read
HELD: Final = 2  # frames cached by a reader: the last one read, and the last of the content
_TAIL: Final = struct.Struct("<QQQ8s")  # bytes, newlines, frames, magic


@dataclass(frozen=True, slots=True)
class Stored:
    sha256: str
    size_bytes: int


class FrameWriter:
    """Compresses and hashes content while writing it to a draft."""

    def __init__(self, write: Callable[[bytes], int]) -> None:
        self._write = write
        self._hash = hashlib.sha256()
        self._buffer = bytearray()
        self._index = array("Q")
        self._size = self._newlines = self._at = 0

    def add(self, chunk: bytes) -> None:
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


class FrameReader:
    """One stored artifact, open for reading; use it as a context manager."""

    def __init__(self, source: Source, name: str) -> None:
        self._source, self._name = source, name
        self._held: dict[int, bytes] = {}
        try:
            self._read_index()
        except (ValueError, OverflowError, struct.error):
            self.close()
            raise NotStored(name) from None  # damaged; not a fault of the store
        except OSError:
            self.close()
            raise

    def __enter__(self) -> "FrameReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._source.close()

    @property
    def stored_bytes(self) -> int:
        return self._source.size

    def _read_index(self) -> None:
        size = self._source.size
        end = size - _TAIL.size
        if end < 0:
            raise ValueError
        self.size_bytes, self.newlines, frames, magic = _TAIL.unpack(self._source.read(end, size))
        index = array("Q")
        self._end = end - frames * 3 * index.itemsize
        if magic != MAGIC or self._end < 0:
            raise ValueError
        index.frombytes(self._source.read(self._end, end))
        self._at, self._bytes, self._lines = index[0::3], index[1::3], index[2::3]

    def bytes_of(self, start: int, stop: int) -> Iterator[bytes]:
        """Bytes of a range; `stop` is exclusive."""
        stop = min(stop, self.size_bytes)
        if start >= stop:
            return
        first = bisect_right(self._bytes, start) - 1
        for number, frame in self._frames(first, bisect_left(self._bytes, stop)):
            begins = self._bytes[number]
            yield frame[max(start - begins, 0) : stop - begins]

    @property
    def lines(self) -> int:
        """Number of lines. A last line without a newline counts too."""
        if not self.size_bytes:
            return 0
        ends = self._frame(len(self._at) - 1).endswith(b"\n")
        return int(self.newlines) + (not ends)

    def line_at(self, place: int) -> int:
        """Number of the line that contains this byte."""
        number = bisect_right(self._bytes, min(place, self.size_bytes)) - 1
        if number < 0:
            return 1
        before = self._frame(number).count(b"\n", 0, place - self._bytes[number])
        return int(self._lines[number]) + before + 1

    def place_of_lines(self, first: int, last: int) -> tuple[int, int]:
        """Byte range of lines first to last, numbered from one, both included."""
        start = self.start_of_line(first)
        return start, max(start, self.start_of_line(last + 1))

    def start_of_line(self, line: int) -> int:
        """Offset of a line, or the size if there is no such line."""
        newlines = line - 1
        if newlines <= 0:
            return 0
        if newlines > self.newlines:
            return int(self.size_bytes)
        # The last frame preceded by fewer newlines contains the end of the previous line.
        number = bisect_right(self._lines, newlines - 1) - 1
        frame, place = self._frame(number), -1
        for _ in range(newlines - self._lines[number]):
            place = frame.index(b"\n", place + 1)
        return int(self._bytes[number]) + place + 1

    def _frame(self, number: int) -> bytes:
        ((_, frame),) = self._frames(number, number + 1)
        return frame

    def _frames(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        """Frames of a range. Read sizes double from one frame, because a reader may stop early."""
        number, at_once = first, 1
        while number < last:
            until = self._reach(number, min(last, number + at_once))
            yield from self._read(number, until)
            number, at_once = until, at_once * 2

    def _reach(self, number: int, last: int) -> int:
        """End of the frames that are read together: as many as fit in a window, at least one."""
        until = number + 1
        while until < last and self._end_of(until) - self._at[number] <= WINDOW:
            until += 1
        return until

    def _read(self, first: int, last: int) -> Iterator[tuple[int, bytes]]:
        if last == first + 1 and first in self._held:
            yield first, self._held[first]
            return
        start, stop = self._at[first], self._end_of(last - 1)
        if not start <= stop <= self._end:
            raise NotStored(self._name)
        packed = memoryview(self._source.read(start, stop))
        for number in range(first, last):
            part = packed[self._at[number] - start : self._end_of(number) - start]
            yield number, self._unpacked(number, part)

    def _end_of(self, number: int) -> int:
        return self._at[number + 1] if number + 1 < len(self._at) else self._end

    def _unpacked(self, number: int, packed: memoryview) -> bytes:
        try:
            frame = zstd.decompress(packed)
        except zstd.ZstdError:
            raise NotStored(self._name) from None
        self._held.pop(number, None)
        if len(self._held) >= HELD:
            del self._held[next(iter(self._held))]
        self._held[number] = frame
        return frame


class Part:
    """A range of a stored artifact as a file, readable once. Closing it closes the artifact."""

    def __init__(self, reader: FrameReader, start: int, stop: int) -> None:
        self._reader = reader
        self._pieces = reader.bytes_of(start, stop)
        self._rest = b""

    def begin(self) -> None:
        """Read the first megabyte now, so that an error occurs before the response has started."""
        first = bytearray()
        while len(first) < WINDOW and (piece := next(self._pieces, b"")):
            first += piece
        self._rest = bytes(first)

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
