"""Ingest: commits valid items to the inbox before the response, which lists invalid ones."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from threading import Lock
from typing import Any, Final, Generic, NamedTuple, TypeVar

from django.db import connection, transaction
from django.utils import timezone

from governance.core.masks.stored import Counts, StoredMasking
from governance.people.auth import Access
from governance.people.commands.masking import count_masks
from governance.people.domain import KEY_PREFIX, without_keys
from outcomes.database import IS_SERVER
from outcomes.database.statements import write_each, write_row
from outcomes.models import RejectedItem
from outcomes.models.inbox import BATCH_ITEMS
from outcomes.record import codec
from outcomes.record.wire import (
    Body,
    Refusal,
    Sender,
    Source,
    Warned,
    check_item,
    mask_excerpt,
    mask_item,
)

Row = TypeVar("Row")
Result = TypeVar("Result")


@dataclass(slots=True)
class _Waiting(Generic[Row, Result]):
    row: Row
    result: Result | None = None
    error: Exception | None = None
    is_done: bool = False

    def done(self, result: Result | None = None, error: Exception | None = None) -> None:
        self.result, self.error, self.is_done = result, error, True


class OneCommit(Generic[Row, Result]):
    """Group commit: `write_all` writes all rows or none, and returns their results in order."""

    def __init__(self, write_all: Callable[[Sequence[Row]], Sequence[Result]]) -> None:
        self._write_all = write_all
        self._waiting: deque[_Waiting[Row, Result]] = deque()
        self._turn = Lock()

    def write(self, row: Row) -> Result:
        """Write a row and return its result after the commit, whichever thread made it."""
        mine = _Waiting[Row, Result](row)
        self._waiting.append(mine)
        with self._turn:
            if not mine.is_done:
                self._write([self._waiting.popleft() for _ in range(len(self._waiting))])
        if mine.error is not None:
            raise mine.error
        return mine.result  # type: ignore[return-value]  # result, when there was no error

    def _write(self, together: Sequence[_Waiting[Row, Result]]) -> None:
        try:
            results = self._write_all([one.row for one in together])
        except Exception as error:  # noqa: BLE001 - raised by whoever waits for the row
            if len(together) > 1:  # maybe caused by one of them only
                for one in together:
                    self._write([one])
            else:
                together[0].done(error=error)
        except BaseException:
            for one in together:
                one.done(error=RuntimeError("The writing thread ended"))
            raise
        else:
            for one, result in zip(together, results, strict=True):
                one.done(result)


LONGEST_AGENT: Final = 128  # characters
STORED_REFUSALS = 1_000  # per post; all are reported, the first ones stored
WARNINGS = 100  # per post: a program uses the same fields in all its items

# Raw SQL, because Django writes the body into the statement as hexadecimal text, which the database
# must parse again. That would cost more than the rest of the post.
_INSERT: Final = """
INSERT INTO outcomes_batch (project_id, environment_id, agent, bound_to, source, items, body,
                            received_at, tries, error)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 0, '') RETURNING id
"""


class _Row(NamedTuple):
    """Parameters of the statement, in order."""

    project: int
    environment: int | None
    agent: str
    bound_to: str
    source: Source
    items: int
    body: bytes
    received_at: Any


@dataclass(frozen=True, slots=True)
class Accepted:
    accepted: int
    refusals: list[Refusal]
    warnings: list[Warned]  # only the first ones
    batch: int | None  # last batch of this post; None if nothing was accepted
    sent_keys: tuple[str, ...] = ()  # API keys found in items; only their hints are stored


def accept(body: Body, *, source: Source, access: Access, agent: str) -> Accepted:
    """Commit the valid items, in rows of at most 1,000 each, so that none is slow to settle."""
    received_at = timezone.now()
    masking, masked = access.masking, Counter[str]()
    refusals = list(body.refusals)
    if masking is not None:
        agent = masking.identifier(agent, masked)[:LONGEST_AGENT]
        refusals = [_mask_refusal(each, masking, masked) for each in refusals]
    sender = Sender(access.environment, agent, access.agent, received_at)
    warnings: list[Warned] = []
    raws: list[bytes] = []
    sent_keys = set[str]()
    for index, sent in body.items:
        raw = sent
        if KEY_PREFIX in sent:
            raw, keys = without_keys(sent)
            sent_keys.update(keys)
        if masking is not None:
            raw = mask_item(raw, masking, masked)
        checked = check_item(index, raw, source, sender)
        if isinstance(checked, Refusal):
            refusals.append(_mask_refusal(checked, masking, masked) if masking else checked)
        else:
            raws.append(raw)
            if checked:
                warnings.extend(checked[: WARNINGS - len(warnings)])
    refusals.sort(key=lambda refusal: refusal.index)
    place = {"project_id": access.project_id, "environment_id": access.environment_id}
    batches = [
        _Row(
            access.project_id,
            access.environment_id,
            agent,
            access.agent,
            source,
            len(chunk),
            codec.pack_batch(chunk),
            _db_time(received_at),
        )
        for chunk in _chunks(raws)
    ]
    rejected = [
        RejectedItem(
            **place,
            agent=agent,
            source=source,
            index=refusal.index,
            code=refusal.code,
            detail=codec.as_text(refusal.detail),
            excerpt=without_keys(refusal.excerpt)[0],
            received_at=received_at,
        )
        for refusal in islice(refusals, STORED_REFUSALS)
    ]
    stored = _store(access.project_id, batches, rejected, masked)
    return Accepted(len(raws), refusals, warnings, stored, tuple(sent_keys))


def _mask_refusal(refusal: Refusal, masking: StoredMasking, masked: Counts) -> Refusal:
    """Refusal with masked excerpt and reason, which may quote the item."""
    return replace(
        refusal,
        detail=masking.text(refusal.detail, masked, is_cut=True),
        excerpt=mask_excerpt(refusal.excerpt, masking, masked),
    )


def _store(
    project_id: int,
    batches: Sequence[_Row],
    rejected: list[RejectedItem],
    masked: Mapping[str, int],
) -> int | None:
    """Store the rows and return the last batch's id. A single batch needs no transaction."""
    if len(batches) == 1 and not rejected and not masked:
        return _alone(batches[0])
    last = None
    with transaction.atomic():
        for batch in batches:
            last = _inserted(batch)
        if rejected:
            RejectedItem.objects.bulk_create(rejected)
        if masked:
            count_masks(project_id, masked)
    return last


def insert_trial_row(now: datetime) -> None:
    """Insert a trial row; the caller rolls it back."""
    write_row(_INSERT, _Row(0, 0, "", "", "outcomes", 0, b"", _db_time(now)))


def _inserted(batch: Sequence[Any]) -> int:
    row = write_row(_INSERT, batch)
    assert row  # noqa: S101 - it returns its id
    return int(row[0])


def _inserted_together(batches: Sequence[Sequence[Any]]) -> list[int]:
    return [int(row[0]) for row in write_each(_INSERT, batches)]


# A server groups commits itself: concurrent ones share a write of its log.
_alone = _inserted if IS_SERVER else OneCommit(_inserted_together).write


def _db_time(at: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(at)


def _chunks(raws: list[bytes]) -> list[list[bytes]]:
    return [raws[start : start + BATCH_ITEMS] for start in range(0, len(raws), BATCH_ITEMS)]
