"""Progress of a project's search index."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Sum

from outcomes.models import SearchIndex, UnindexedEvents
from outcomes.search.queries.sources import moment

MOST_NOTES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Progress:
    events: int  # settled and not indexed yet
    is_more: bool  # there are more than were counted
    back_to: datetime | None  # older calls are not indexed yet; none: all are indexed
    error: str  # of the last run, if it failed


def progress_of(project_id: int) -> Progress:
    index = SearchIndex.objects.filter(project=project_id).first()
    notes = UnindexedEvents.objects.filter(project=project_id).order_by("id")
    newest = notes.values("id", "events")[:MOST_NOTES].aggregate(events=Sum("events", default=0))
    return Progress(
        newest["events"],
        notes.values_list("id")[MOST_NOTES : MOST_NOTES + 1].exists(),
        moment(index.before) if index and index.before else None,
        index.error if index and index.status == SearchIndex.Status.FAILED else "",
    )
