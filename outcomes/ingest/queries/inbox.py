"""Invalid events and failed batches of a project."""

import json
from datetime import datetime
from typing import Final, NamedTuple

from django.db.models import Count, Min, Sum

from governance.core.masking import Masking, masked_text
from outcomes.models import Batch, RejectedItem
from outcomes.models.inbox import FAULTS
from outcomes.web.paging import Page, Place, page_of

REJECTED_SHOWN: Final = 50
SET_ASIDE_SHOWN: Final = 50


FAULTS_SHOWN: Final = 20


class Fault(NamedTuple):
    """A store fault, and the batches waiting for it to end."""

    error: str
    batches: int
    items: int
    oldest: datetime
    next_try: datetime


def rejected_items(
    project_id: int, *, before: Place | None = None, after: Place | None = None
) -> Page[RejectedItem]:
    items = RejectedItem.objects.filter(project=project_id).select_related("environment")
    return page_of(items, ("id",), size=REJECTED_SHOWN, before=before, after=after)


def shown_excerpt(item: RejectedItem) -> str:
    """Stored beginning of a rejected item, secrets masked."""
    text = bytes(item.excerpt).decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return masked_text(text, is_cut=True)[0]
    return json.dumps(Masking(value).value(value), ensure_ascii=False)


def rejected_count(project_id: int) -> int:
    return RejectedItem.objects.filter(project=project_id).count()


def faults_of(project_id: int) -> list[Fault]:
    """Faults that batches of this project are waiting for, most batches first."""
    waiting = Batch.objects.filter(
        project=project_id, set_aside_at=None, next_try_at__isnull=False
    ).exclude(fault="")
    by_error = (
        waiting.order_by()
        .values("error")
        .annotate(
            batches=Count("id"), of=Sum("items"), oldest=Min("received_at"), next=Min("next_try_at")
        )
    )
    rows = by_error.order_by("-batches", "error")[:FAULTS_SHOWN]
    return [Fault(*row) for row in rows.values_list("error", "batches", "of", "oldest", "next")]


def kinds_of_faults() -> list[str]:
    """Descriptions of the faults that batches of any project are waiting for, without details."""
    waiting = Batch.objects.filter(set_aside_at=None, next_try_at__isnull=False)
    return [words for fault, words in FAULTS if waiting.filter(fault=fault).exists()]


def set_aside_batches(
    project_id: int, *, before: Place | None = None, after: Place | None = None
) -> Page[Batch]:
    batches = Batch.objects.filter(project=project_id, set_aside_at__isnull=False)
    batches = batches.select_related("environment").defer("body")
    return page_of(batches, ("id",), size=SET_ASIDE_SHOWN, before=before, after=after)
