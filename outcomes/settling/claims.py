"""Claims: batches taken from the inbox so that no other worker settles them too.

PostgreSQL locks the rows and skips those locked by others. SQLite has one lock for everything and
one settling process, which reads and classifies batches before it takes that lock and deletes them
at the end. A missing row means that another process was faster, e.g. one presumed dead.
"""

import fcntl
import json
import logging
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, cast

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from outcomes.database import IS_SERVER, ITEMS_PER_CLAIM, ITEMS_PER_LARGE_CLAIM
from outcomes.models import Batch
from outcomes.models.inbox import DEATHS, TRIES
from outcomes.record.codec import as_text, unpacked_size
from outcomes.record.wire import Sender, Source

PATIENCE, RETRY_PAUSE = 2.0, 0.002  # seconds

logger = logging.getLogger(__name__)
_own: set[Path] = set()


@contextmanager
def at_work(batches: Iterable[int]) -> Iterator[None]:
    """Record these batches in a file while they are processed. It is removed when the block ends,
    even by an exception, so a leftover file means that the process died."""
    try:
        path, handle = _say(list(batches))
    except OSError as error:  # full disk: settling may still work
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
    """Batches being processed by each other live process."""
    for path in _paths():
        if path in _own:
            continue
        with suppress(OSError), path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield _numbers_in(file.read())


def wait_for_older(first: int) -> None:
    """Wait until other processes have written batches older than this one, up to a timeout.

    A session is updated incrementally by calls that arrive in order, and recomputed otherwise.
    """
    ends = time.monotonic() + PATIENCE
    while any(min(batches, default=first) < first for batches in in_hand()):
        if time.monotonic() > ends:
            return
        time.sleep(RETRY_PAUSE)


def left_behind() -> Iterator[list[int]]:
    """Batches of each worker that died. Its file is then deleted."""
    for path in _paths():
        with suppress(OSError), path.open("r+b") as file:  # deleted, locked or unreadable
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_nlink:  # else another worker has handled it
                yield _numbers_in(file.read())
                path.unlink(missing_ok=True)


def _paths() -> list[Path]:
    try:
        return [each for each in _folder().iterdir() if not each.name.startswith(".")]
    except OSError:  # no file written yet, or unreadable
        return []


def _say(batches: list[int]) -> tuple[Path, int]:
    folder, name = _folder(), secrets.token_hex(8)
    folder.mkdir(exist_ok=True, mode=0o700)
    draft, path = folder / f".{name}", folder / name
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.write(handle, json.dumps(batches).encode())
        draft.rename(path)  # locked and complete before it becomes visible
    except OSError:
        os.close(handle)
        draft.unlink(missing_ok=True)
        raise
    return path, handle


def _numbers_in(text: bytes) -> list[int]:
    try:
        return [int(each) for each in json.loads(text)]
    except (ValueError, TypeError):  # the machine crashed before the file was flushed
        return []


def _folder() -> Path:
    return Path(settings.DATA) / "claims"


ITEMS, ITEMS_OF_MUCH = ITEMS_PER_CLAIM, ITEMS_PER_LARGE_CLAIM
MOST_BATCHES = 500
# Limit for one transaction, packed and unpacked, unless a single batch is larger. Parsed items take
# several times as much memory, and a claim of valid batches must not kill a worker.
MOST_BYTES = 32 * 1024 * 1024
MUCH = 20_000  # waiting items; more than a second of settling
MANY_BATCHES = 2_000
ASK_EVERY = 0.5  # seconds
PAUSE = timedelta(seconds=2)  # before the first retry of a failed batch; doubled each time
_ask_again = float("-inf")
DIED = (
    "The worker died while processing this batch: it ran out of memory, a library crashed, or its"
    " process was killed. See its log, then retry the batch."
)


@dataclass(frozen=True, slots=True)
class Claimed:
    id: int
    project: int
    environment: int
    source: Source
    sender: Sender
    body: bytes


class Suspect(NamedTuple):
    id: int
    fault: str


class SettledElsewhere(Exception):
    """Another worker settled one of these batches first; nothing was written here."""


@contextmanager
def claimed(*, only: int | None = None) -> Iterator[list[Claimed]]:
    """Batches to settle, marked as in progress. On PostgreSQL, a transaction locks their rows. An
    exception rolls everything back."""
    with ExitStack() as claim:
        if IS_SERVER:
            claim.enter_context(transaction.atomic())
        batches = _next(only)
        if batches:
            claim.enter_context(at_work(batch.id for batch in batches))
        yield batches


def is_full(items: int) -> bool:
    """Whether a claim with this many items may have left some behind."""
    return items >= ITEMS


def after(last: int) -> list[Claimed]:
    """Batches that the next claim will probably contain. Other workers may still claim them."""
    return _read(_fresh(_besides_others(_waiting().filter(id__gt=last))))


@contextmanager
def consumed(batches: list[Claimed]) -> Iterator[None]:
    """Transaction that writes the claim and deletes its batches."""
    ids = [batch.id for batch in batches]
    wait_for_older(min(ids))
    with transaction.atomic():
        gone, _ = Batch.objects.filter(pk__in=ids, set_aside_at=None).delete()
        if gone < len(ids):
            raise SettledElsewhere
        yield


def is_more_than_one_can_do() -> bool:
    """Whether the backlog justifies a second process; queried at most twice a second. SQLite has
    one writer, and one settler."""
    global _ask_again
    if not IS_SERVER or time.monotonic() < _ask_again:
        return False
    _ask_again = time.monotonic() + ASK_EVERY
    waiting = _waiting().order_by("id").values_list("items", flat=True)[:MANY_BATCHES]
    items = list(waiting)
    return len(items) == MANY_BATCHES or sum(items) >= MUCH


def to_try_alone() -> Suspect | None:
    """Batch to settle alone that is due: it failed before, or a worker died while processing it."""
    due = Batch.objects.filter(set_aside_at=None, next_try_at__lte=timezone.now())
    # Batches waiting for the same fault take turns.
    row = due.order_by("next_try_at", "tries", "id").values_list("id", "fault").first()
    return None if row is None else Suspect(*row)


def note_failure(batch_id: int, error: Exception) -> None:
    """Count a failed try. After a few, the batch is set aside with its error."""
    _note(batch_id, f"{type(error).__name__}: {error}", of=TRIES)


def note_death(batch_ids: list[int]) -> None:
    """Record that a worker died over these. To find the cause, each is then claimed alone."""
    if len(batch_ids) == 1:
        _note(batch_ids[0], DIED, of=DEATHS)
        return
    suspects = Batch.objects.filter(pk__in=batch_ids, set_aside_at=None, next_try_at=None)
    suspects.update(next_try_at=timezone.now())


def _note(batch_id: int, error: str, *, of: int) -> None:
    with transaction.atomic():
        batch = Batch.objects.select_for_update().filter(pk=batch_id).first()
        if batch is None:
            return
        now = timezone.now()
        batch.tries = 1 if batch.fault else batch.tries + 1  # tries during a fault don't count
        batch.fault = ""
        batch.error = as_text(error[:4_000])
        batch.next_try_at = now + PAUSE * 2 ** (batch.tries - 1)
        batch.set_aside_at = now if batch.tries >= of else None
        batch.save(update_fields=["tries", "error", "fault", "next_try_at", "set_aside_at"])


def _next(only: int | None) -> list[Claimed]:
    waiting = _waiting() if only is None else Batch.objects.filter(set_aside_at=None, pk=only)
    waiting = waiting.select_for_update(skip_locked=True)  # no effect on SQLite
    return _read(_fresh(waiting) if only is None else waiting)


def _besides_others(waiting: QuerySet[Batch]) -> QuerySet[Batch]:
    """Batches not being processed by other processes of this machine."""
    others = {number for batches in in_hand() for number in batches}
    return waiting.exclude(pk__in=others) if others else waiting


def _waiting() -> QuerySet[Batch]:
    """Batches that may be claimed together: none of them has failed yet."""
    return Batch.objects.filter(set_aside_at=None, next_try_at=None)


def _fresh(waiting: QuerySet[Batch]) -> list[Batch]:
    """Oldest batches that together have enough items."""
    usual, much = ITEMS, ITEMS_OF_MUCH
    looked_at = max(usual, 2 * much)
    sizes = waiting.order_by("id").defer("body").annotate(packed=Length("body"))
    # Small posts need many batches per claim and full ones few: the oldest batch decides.
    oldest = _waiting().order_by("id").values("items")[:1]
    most = min(MOST_BATCHES, -(-looked_at // max(oldest[0]["items"], 1))) if oldest else 0
    batches = list(sizes[:most])
    items = max(usual, min(much, sum(batch.items for batch in batches) // 2))
    room = MOST_BYTES
    chosen: list[Batch] = []
    for batch in batches:
        room -= batch.packed
        if chosen and room < 0:
            break
        chosen.append(batch)
        items -= batch.items
        if items <= 0:
            break
    return chosen


def _read(batches: Iterable[Batch]) -> list[Claimed]:
    ids = [batch.pk for batch in batches]
    with_bodies = Batch.objects.filter(pk__in=ids).select_related("environment").order_by("id")
    read: list[Claimed] = []
    room = MOST_BYTES
    for batch in with_bodies:
        body = bytes(batch.body)  # unpacked later, where a failure is attributed to this batch
        room -= unpacked_size(body)
        if read and room < 0:
            break
        read.append(
            Claimed(
                id=batch.pk,
                project=batch.project_id,
                environment=batch.environment_id,
                source=cast(Source, batch.source),
                sender=Sender(
                    batch.environment.name, batch.agent, batch.bound_to, batch.received_at
                ),
                body=body,
            )
        )
    return read
