"""Artifact store: content streamed in and out under its SHA-256, readable by range.

The interface for all other packages. The store itself is the folder or bucket in
EDICTUM_SITE_ARTIFACTS.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from outcomes.core.artifact_store.addresses import place_at
from outcomes.core.artifact_store.faults import (
    NotHere,
    NotStored,
    StoreAway,
    fault_words,
    may_pass,
)
from outcomes.core.artifact_store.folder import Folder
from outcomes.core.artifact_store.frames import (
    FRAME,
    MAGIC,
    FrameReader,
    FrameWriter,
    Part,
    Stored,
)
from outcomes.core.artifact_store.places import Place, is_name

__all__ = [
    "FRAME",
    "MAGIC",
    "FrameReader",
    "NotHere",
    "NotStored",
    "Part",
    "Reader",
    "StoreAway",
    "Stored",
    "drafts",
    "fault_words",
    "is_name",
    "may_pass",
    "place",
    "place_named",
    "remove",
    "remove_drafts",
    "store",
    "store_all",
    "store_in",
    "stored_bytes",
    "stored_names",
    "stored_sizes",
    "try_to_write",
]


Value = TypeVar("Value")
Result = TypeVar("Result")


class Reader(FrameReader):
    """An artifact in the store in use, open for reading."""

    def __init__(self, project_id: int, sha256: str) -> None:
        super().__init__(place().open(project_id, sha256), sha256)


def place() -> Place:
    """The store in use."""
    if settings.ARTIFACTS:
        return place_named(settings.ARTIFACTS)
    return Folder(Path(settings.DATA) / "artifacts")


def place_named(address: str) -> Place:
    """Store at an address. One object per process, so that connections are reused."""
    return _place_named(address, Path(settings.DATA) / "uploads")


@cache
def _place_named(address: str, spool: Path) -> Place:
    return place_at(address, spool=spool, secrets=settings.ARTIFACT_SECRETS)


def store(project_id: int, chunks: Iterable[bytes]) -> Stored:
    """Write content durably and return its name. Equal content is stored once."""
    return store_in(place(), project_id, chunks)


def store_in(place: Place, project_id: int, chunks: Iterable[bytes]) -> Stored:
    with place.draft(project_id) as draft:
        writer = FrameWriter(draft.write)
        for chunk in chunks:
            writer.add(chunk)
        stored = writer.finish()
        draft.keep(stored.sha256)
    return stored


def store_all(project_id: int, contents: Iterable[bytes]) -> list[Stored]:
    """Store several contents, in their order."""
    return _at_once(partial(_store_bytes, place(), project_id), contents)


def stored_sizes(project_id: int, names: Iterable[str]) -> list[int | None]:
    """Stored size in bytes of each artifact, in their order; None if it is missing."""
    return _at_once(partial(place().size_of, project_id), names)


def stored_bytes(project_id: int, sha256: str) -> int | None:
    """Stored size in bytes, compressed and including the index, or None if it is missing."""
    return place().size_of(project_id, sha256)


def stored_names() -> Iterator[tuple[int, str]]:
    """Project and name of every stored artifact."""
    for entry in place().entries():
        yield entry.project_id, entry.sha256


def remove(project_id: int, sha256: str) -> None:
    place().remove(project_id, sha256)


def remove_drafts(*, older_than: timedelta) -> int:
    """Remove drafts of uploads whose process was killed. Returns their number."""
    return place().remove_drafts(older_than=older_than)


def drafts(*, older_than: timedelta) -> int:
    """Number of drafts left by uploads whose process was killed."""
    return place().drafts(older_than=older_than)


def try_to_write() -> None:
    """Raise OSError if nothing can be stored now."""
    place().try_to_write()


def _store_bytes(place: Place, project_id: int, content: bytes) -> Stored:
    return store_in(place, project_id, [content])


def _at_once(work: Callable[[Value], Result], values: Iterable[Value]) -> list[Result]:
    """Run in parallel if each value needs a request to another machine."""
    every = list(values)
    if (width := min(place().at_once, len(every))) <= 1:
        return [work(value) for value in every]
    with ThreadPoolExecutor(width) as pool:
        return list(pool.map(work, every))
