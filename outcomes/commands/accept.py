"""The door: what can be kept is committed to the inbox before the answer, what cannot is named."""

from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.utils import timezone

from governance.auth import Access
from outcomes import codec
from outcomes.models import Batch, RejectedItem
from outcomes.models.inbox import BATCH_ITEMS
from outcomes.wire import Body, Refusal, Sender, Source, check_item

KEPT_REFUSALS = 1_000  # of one post; all are answered, the first are kept


@dataclass(frozen=True, slots=True)
class Accepted:
    accepted: int
    refusals: list[Refusal]
    batch: int | None  # the last one made of this post; None when nothing was accepted


def accept(body: Body, *, source: Source, access: Access, agent: str) -> Accepted:
    """Commit what can be kept. Rows of at most 1,000 items each, so that none is slow to settle."""
    received_at = timezone.now()
    sender = Sender(access.environment, agent, access.agent, received_at)
    refusals = list(body.refusals)
    raws: list[bytes] = []
    for index, raw in body.items:
        refusal = check_item(index, raw, source, sender)
        if refusal is None:
            raws.append(raw)
        else:
            refusals.append(refusal)
    refusals.sort(key=lambda refusal: refusal.index)
    place = {"project_id": access.project_id, "environment_id": access.environment_id}
    batches = [
        Batch(
            **place,
            agent=agent,
            source=source,
            items=len(chunk),
            body=codec.pack_batch(chunk),
            received_at=received_at,
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
            excerpt=refusal.excerpt,
            received_at=received_at,
        )
        for refusal in islice(refusals, KEPT_REFUSALS)
    ]
    with transaction.atomic():
        for batch in batches:
            batch.save(force_insert=True)
        if rejected:
            RejectedItem.objects.bulk_create(rejected)
    return Accepted(len(raws), refusals, batches[-1].pk if batches else None)


def _chunks(raws: list[bytes]) -> list[list[bytes]]:
    return [raws[start : start + BATCH_ITEMS] for start in range(0, len(raws), BATCH_ITEMS)]
