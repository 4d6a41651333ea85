"""Taking batches out of the inbox so that no other worker takes them too.

PostgreSQL locks the rows and passes over those that others hold. SQLite has one lock for all, so
there the thinking comes before it: batches are read and decided on first, and taken at the end,
where a row that is gone says that another worker was faster.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.utils import timezone

from outcomes.codec import as_text, unpacked_size
from outcomes.models import Batch
from outcomes.models.inbox import DEATHS, TRIES
from outcomes.wire import Sender, Source

ITEMS = {"postgresql": 4_000, "sqlite": 1_000}  # of one transaction, more or less
MOST_BATCHES = 500
# Of one transaction, packed and unpacked, unless a batch alone has more: read items take several
# times that, and a worker must not die of a claim whose batches are well by themselves.
MOST_BYTES = 32 * 1024 * 1024
PAUSE = timedelta(seconds=2)  # before a batch that failed is tried again; doubled each time
DIED = (
    "The worker died while it settled this batch: it ran out of memory, a library crashed, or its"
    " process was ended from outside. Its log tells which; then try again."
)


@dataclass(frozen=True, slots=True)
class Claimed:
    id: int
    project: int
    environment: int
    source: Source
    sender: Sender
    body: bytes


class Taken(Exception):
    """Another worker settled one of these batches first; nothing of ours was written."""


@contextmanager
def claimed(*, only: int | None = None) -> Iterator[list[Claimed]]:
    """Batches to settle, and the transaction to do it in; an exception takes all back."""
    locked = connection.vendor == "postgresql"
    with transaction.atomic() if locked else _no_transaction():
        yield _next(only, lock=locked)


def after(last: int) -> list[Claimed]:
    """What the next claim will most likely hold; nobody is kept from it."""
    return _read(_fresh(_waiting().filter(id__gt=last)))


@contextmanager
def taken(batches: list[Claimed]) -> Iterator[None]:
    """The part that writes: one transaction, and the batches are gone when it is over."""
    ids = [batch.id for batch in batches]
    with transaction.atomic():
        gone, _ = Batch.objects.filter(pk__in=ids, set_aside_at=None).delete()
        if gone < len(ids):
            raise Taken
        yield


@contextmanager
def _no_transaction() -> Iterator[None]:
    yield


def to_try_alone() -> int | None:
    """One for which it is time: it failed before, or was among those over which a worker died."""
    due = Batch.objects.filter(set_aside_at=None, next_try_at__lte=timezone.now())
    return due.order_by("next_try_at").values_list("id", flat=True).first()


def note_failure(batch_id: int, error: Exception) -> None:
    """Count a try that failed; after a few the batch is set aside with its error."""
    _note(batch_id, f"{type(error).__name__}: {error}", of=TRIES)


def note_death(batch_ids: list[int]) -> None:
    """A worker died over these; over which of them is found by claiming each of them alone."""
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
        batch.tries += 1
        batch.error = as_text(error[:4_000])
        batch.next_try_at = now + PAUSE * 2 ** (batch.tries - 1)
        batch.set_aside_at = now if batch.tries >= of else None
        batch.save(update_fields=["tries", "error", "next_try_at", "set_aside_at"])


def _next(only: int | None, *, lock: bool) -> list[Claimed]:
    waiting = _waiting() if only is None else Batch.objects.filter(set_aside_at=None, pk=only)
    if lock:
        waiting = waiting.select_for_update(skip_locked=True)
    return _read(_fresh(waiting) if only is None else waiting)


def _waiting() -> QuerySet[Batch]:
    """Those that may be claimed together: nothing went wrong with them yet."""
    return Batch.objects.filter(set_aside_at=None, next_try_at=None)


def _fresh(waiting: QuerySet[Batch]) -> list[Batch]:
    """The oldest ones that hold enough items together."""
    items, room = ITEMS[connection.vendor], MOST_BYTES
    sizes = waiting.order_by("id").defer("body").annotate(packed=Length("body"))
    # Posts of one item come by the thousand, full ones by the dozen: the oldest says which.
    oldest = _waiting().order_by("id").values("items")[:1]
    most = min(MOST_BATCHES, -(-items // max(oldest[0]["items"], 1))) if oldest else 0
    chosen: list[Batch] = []
    for batch in sizes[:most]:
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
    whole = Batch.objects.filter(pk__in=ids).select_related("environment").order_by("id")
    read: list[Claimed] = []
    room = MOST_BYTES
    for batch in whole:
        body = bytes(batch.body)  # unpacked where a failure is known to be this batch's
        room -= unpacked_size(body)
        if read and room < 0:
            break
        read.append(
            Claimed(
                id=batch.pk,
                project=batch.project_id,
                environment=batch.environment_id,
                source=cast(Source, batch.source),
                sender=Sender(batch.environment.name, batch.agent, "", batch.received_at),
                body=body,
            )
        )
    return read
