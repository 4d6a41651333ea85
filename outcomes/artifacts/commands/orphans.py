"""Content without a row: stored for a claim or an upload that was rolled back, or whose process
died before it committed."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from governance.models import Project
from outcomes.artifacts.commands.places import is_own
from outcomes.core import artifact_store
from outcomes.core.artifact_store.places import Place
from outcomes.models import Artifact

HOURS: Final = 24
IN_ONE_QUERY: Final = 500

logger = logging.getLogger(__name__)


def remove_orphans(*, hour: int, older_than: timedelta) -> int:
    """Remove orphans in this hour's share of names, so that each name is checked once a day. Only
    in a store marked as this installation's."""
    place = artifact_store.place()
    if not is_own(place):
        return 0
    removed = sum(
        _remove(place, project, name)
        for project in place.project_ids()
        for beginning in beginnings_of(hour)
        for name in _without_row(place, project, beginning, older_than)
    )
    if removed:
        logger.info("Removed %d stored artifacts that no row names", removed)
    return removed


def beginnings_of(hour: int) -> list[str]:
    return [f"{number:02x}" for number in range(256) if number % HOURS == hour]


def _without_row(
    place: Place, project: int, beginning: str, older_than: timedelta
) -> Iterator[str]:
    before = timezone.now() - older_than
    old = [each.sha256 for each in place.entries(project, beginning) if each.stored_at < before]
    for start in range(0, len(old), IN_ONE_QUERY):
        part = old[start : start + IN_ONE_QUERY]
        rows = Artifact.objects.filter(project=project, sha256__in=part).order_by()
        yield from set(part) - set(rows.values_list("sha256", flat=True))


@transaction.atomic
def _remove(place: Place, project: int, sha256: str) -> bool:
    """Remove content while holding a temporary row: a parallel upload of the same content waits for
    it and then finds the content missing."""
    if not Project.objects.filter(pk=project).exists():
        place.remove(project, sha256)
        return True
    row, is_new = Artifact.objects.get_or_create(
        project_id=project,
        sha256=sha256,
        defaults={"size_bytes": 0, "media_type": "", "created_at": timezone.now()},
    )
    if is_new:
        place.remove(project, sha256)
        row.delete()
    return is_new
