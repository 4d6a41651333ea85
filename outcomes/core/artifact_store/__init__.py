"""The artifact store: content streamed in and out under its SHA-256, readable by part.

Rooms use this door. Behind it is the folder or the bucket that EDICTUM_SITE_ARTIFACTS names.
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
    """One artifact of this console, open for reading."""

    def __init__(self, project_id: int, sha256: str) -> None:
        super().__init__(place().open(project_id, sha256), sha256)


def place() -> Place:
    """The store in use."""
    if settings.ARTIFACTS:
        return place_named(settings.ARTIFACTS)
    return Folder(Path(settings.DATA) / "artifacts")


def place_named(address: str) -> Place:
    """The store at an address; one object per process, so that its connections are used again."""
    return _place_named(address, Path(settings.DATA) / "uploads")


@cache
def _place_named(address: str, spool: Path) -> Place:
    return place_at(address, spool=spool, secrets=settings.ARTIFACT_SECRETS)


def store(project_id: int, chunks: Iterable[bytes]) -> Stored:
    """Write content durably and name it; the same content is stored once."""
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
    """Store several at once, in their order."""
    return _at_once(partial(_store_bytes, place(), project_id), contents)


def stored_sizes(project_id: int, names: Iterable[str]) -> list[int | None]:
    """Stored bytes of several, in their order; None for one that is missing."""
    return _at_once(partial(place().size_of, project_id), names)


def stored_bytes(project_id: int, sha256: str) -> int | None:
    """Stored bytes: compressed, with the index; None when the content is gone."""
    return place().size_of(project_id, sha256)


def stored_names() -> Iterator[tuple[int, str]]:
    """Every stored artifact: its project and its name."""
    for entry in place().entries():
        yield entry.project_id, entry.sha256


def remove(project_id: int, sha256: str) -> None:
    place().remove(project_id, sha256)


def remove_drafts(*, older_than: timedelta) -> int:
    """Those of uploads whose process was killed; how many."""
    return place().remove_drafts(older_than=older_than)


def drafts(*, older_than: timedelta) -> int:
    """Number of uploads whose process was killed, and that are not removed yet."""
    return place().drafts(older_than=older_than)


def try_to_write() -> None:
    """Raise OSError where nothing can be stored now."""
    place().try_to_write()


def _store_bytes(place: Place, project_id: int, content: bytes) -> Stored:
    return store_in(place, project_id, [content])


def _at_once(work: Callable[[Value], Result], values: Iterable[Value]) -> list[Result]:
    """Side by side where each is a request to another machine."""
    every = list(values)
    if (width := min(place().at_once, len(every))) <= 1:
        return [work(value) for value in every]
    with ThreadPoolExecutor(width) as pool:
        return list(pool.map(work, every))
