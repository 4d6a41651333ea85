"""Batches that a worker is settling, noted where the note outlasts the worker.

A batch may kill the process that settles it: memory runs out, a library crashes. No exception is
raised and the database takes all back, so nothing there tells of it, and the next worker would
claim the same. So each claim is named in a file that its process holds locked: a file whose lock
is free is of a process that died over these batches. It need not survive the machine, and is not
flushed: it costs a few system calls.

Two processes that settle PostgreSQL's inbox also see here what the other has in hand, and write in
the order of the batches.
"""

import fcntl
import json
import logging
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

PATIENCE, PAUSE = 2.0, 0.002  # seconds

logger = logging.getLogger(__name__)
_own: set[Path] = set()


@contextmanager
def at_work(batches: Iterable[int]) -> Iterator[None]:
    """Name these batches while they are worked on; however that ends, the process has lived."""
    try:
        path, handle = _say(list(batches))
    except OSError as error:  # a full disk: settling may still work
        logger.warning("Cannot write crash markers: %s", error)
        yield
        return
    _own.add(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)
        _own.discard(path)


def in_hand() -> Iterator[list[int]]:
    """The batches of each other process that lives."""
    for path in _paths():
        if path in _own:
            continue
        with suppress(OSError), path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield _read(file.read())


def wait_for_older(first: int) -> None:
    """Until the others have written what is older than this batch, though not for ever.

    A session is read on with calls that come in their order, and anew when they do not.
    """
    ends = time.monotonic() + PATIENCE
    while any(min(batches, default=first) < first for batches in in_hand()):
        if time.monotonic() > ends:
            return
        time.sleep(PAUSE)


def left_behind() -> Iterator[list[int]]:
    """The batches in hand of each worker that died; once taken note of, it is forgotten."""
    for path in _paths():
        with suppress(OSError), path.open("r+b") as file:  # gone, locked, or on no disk
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_nlink:  # else another worker has taken note of it
                yield _read(file.read())
                path.unlink(missing_ok=True)


def _paths() -> list[Path]:
    try:
        return [each for each in _folder().iterdir() if not each.name.startswith(".")]
    except OSError:  # nobody has noted anything, or nobody can
        return []


def _say(batches: list[int]) -> tuple[Path, int]:
    folder, name = _folder(), secrets.token_hex(8)
    folder.mkdir(exist_ok=True, mode=0o700)
    draft, path = folder / f".{name}", folder / name
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.write(handle, json.dumps(batches).encode())
        draft.rename(path)  # nobody looks at it before it is locked and whole
    except OSError:
        os.close(handle)
        draft.unlink(missing_ok=True)
        raise
    return path, handle


def _read(text: bytes) -> list[int]:
    try:
        return [int(each) for each in json.loads(text)]
    except (ValueError, TypeError):  # the machine stopped before it was on the disk
        return []


def _folder() -> Path:
    return Path(settings.DATA) / "claims"
