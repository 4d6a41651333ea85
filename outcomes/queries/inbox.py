"""What was refused at the door, and what could not be settled and was set aside."""

from typing import Final

from outcomes.models import Batch, RejectedItem
from outcomes.queries.paging import Page, Place, page_of

REJECTED_SHOWN: Final = 50
SET_ASIDE_SHOWN: Final = 50


def rejected_items(
    project_id: int, *, before: Place | None = None, after: Place | None = None
) -> Page[RejectedItem]:
    found = RejectedItem.objects.filter(project=project_id).select_related("environment")
    return page_of(found, ("id",), size=REJECTED_SHOWN, before=before, after=after)


def rejected_count(project_id: int) -> int:
    return RejectedItem.objects.filter(project=project_id).count()


def set_aside_batches(
    project_id: int, *, before: Place | None = None, after: Place | None = None
) -> Page[Batch]:
    found = Batch.objects.filter(project=project_id, set_aside_at__isnull=False)
    found = found.select_related("environment").defer("body")
    return page_of(found, ("id",), size=SET_ASIDE_SHOWN, before=before, after=after)
