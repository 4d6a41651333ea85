"""`python -m bench.artifacts`: time to store a 24 MiB artifact and read it by ranges, in a folder
and in S3 on loopback, compared with the same bytes through plain file or object access.
"""

import hashlib
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Final

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")

import obstore

from outcomes.core.artifact_store import FrameReader, place_named, store_in
from outcomes.core.artifact_store.bucket import Bucket
from outcomes.core.artifact_store.places import Place
from tests import buckets

SIZE: Final = 24 * 1024 * 1024
CHUNK: Final = 256 * 1024
RANGE: Final = 64 * 1024
RANGES: Final = 50
ROUNDS: Final = 5
PROJECT: Final = 1


def main() -> int:
    contents = {"random bytes": _random_bytes(), "words": _words()}
    measured = []
    with tempfile.TemporaryDirectory(prefix="edictum-artifacts-") as name:
        places = {"folder": (Path(name) / "store").as_uri(), "S3": buckets.a_bucket()}
        for kind, address in places.items():
            for text, content in contents.items():
                measured += _measured(kind, text, place_named(address), content, Path(name))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        json.dumps({"size": SIZE, "rounds": ROUNDS, "peak_mb": peak, "parts": measured}, indent=1)
    )
    for each in measured:
        print(
            f"{each['store']:6} {each['content']:12} {each['what']:22} {each['ms']:8.1f} ms"
            f"   bare {each['bare_ms']:8.1f} ms   {each['of_bare']:5.2f} times"
        )
    return 0


def _measured(
    kind: str, text: str, place: Place, content: bytes, folder: Path
) -> list[dict[str, object]]:
    bare = _Bucket(place) if isinstance(place, Bucket) else _File(folder / "bare")
    name = hashlib.sha256(content).hexdigest()
    places = [random.Random(number).randrange(SIZE - RANGE) for number in range(RANGES)]  # noqa: S311

    def write() -> None:
        place.remove(PROJECT, name)
        store_in(place, PROJECT, _chunks(content))

    def read() -> None:
        with FrameReader(place.open(PROJECT, name), name) as reader:
            _must_be(SIZE, map(len, reader.bytes_of(0, SIZE)))

    def read_ranges() -> None:
        for start in places:
            with FrameReader(place.open(PROJECT, name), name) as reader:
                _must_be(RANGE, map(len, reader.bytes_of(start, start + RANGE)))

    parts = [
        ("store", write, lambda: bare.write(content)),
        ("read", read, lambda: bare.read()),
        (f"{RANGES} ranges of 64 KiB", read_ranges, lambda: bare.read_ranges(places)),
    ]
    return [_part(kind, text, what, ours, theirs) for what, ours, theirs in parts]


def _part(
    kind: str, text: str, what: str, ours: Callable[[], None], theirs: Callable[[], None]
) -> dict[str, object]:
    """Compare both by turns, so that other load on the machine affects them equally."""
    took: list[tuple[float, float]] = [(_seconds(ours), _seconds(theirs)) for _ in range(ROUNDS)]
    mine, bare = (median(column) for column in zip(*took, strict=True))
    return {
        "store": kind,
        "content": text,
        "what": what,
        "ms": round(mine * 1_000, 1),
        "bare_ms": round(bare * 1_000, 1),
        "of_bare": round(mine / bare, 2),
    }


class _Bucket:
    """Plain object access: only the library, with its defaults."""

    def __init__(self, place: Bucket) -> None:
        self._store = place.objects

    def write(self, content: bytes) -> None:
        obstore.put(self._store, "bare", content)

    def read(self) -> None:
        _must_be(SIZE, map(len, obstore.get(self._store, "bare")))

    def read_ranges(self, places: list[int]) -> None:
        for start in places:
            part = obstore.get_range(self._store, "bare", start=start, length=RANGE)
            _must_be(RANGE, [len(bytes(part))])


class _File:
    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, content: bytes) -> None:
        with self._path.open("wb") as file:
            for chunk in _chunks(content):
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> None:
        with self._path.open("rb") as file:
            _must_be(SIZE, map(len, iter(lambda: file.read(CHUNK), b"")))

    def read_ranges(self, places: list[int]) -> None:
        for start in places:
            with self._path.open("rb") as file:
                file.seek(start)
                _must_be(RANGE, [len(file.read(RANGE))])


def _chunks(content: bytes) -> list[bytes]:
    return [content[start : start + CHUNK] for start in range(0, len(content), CHUNK)]


def _random_bytes() -> bytes:
    """Incompressible content, so that both sides transfer the same number of bytes."""
    return hashlib.shake_128(b"seed").digest(SIZE)


def _words() -> bytes:
    """Realistic content: lines of words and numbers that compress to a third of their size."""
    made = random.Random(7)  # noqa: S311
    words = ["".join(made.choices("abcdefghijklmnop", k=8)) for _ in range(4_000)]
    lines = (f"{number} {' '.join(made.choices(words, k=12))}\n" for number in range(SIZE // 100))
    return "".join(lines).encode()[:SIZE]


def _must_be(size: int, sizes: Iterable[int]) -> None:
    if (total := sum(sizes)) != size:
        raise ValueError(f"{total} bytes were read, not {size}.")


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
