"""Size of the inbox, and free space on the disks."""

import shutil
from pathlib import Path

from django.conf import settings
from django.db.models import Min, Q, Sum
from django.db.models.functions import Length
from django.utils import timezone

from outcomes.core import artifact_store
from outcomes.ingest.domain import Bounds, Disk, Held
from outcomes.models import Batch


def bounds() -> Bounds:
    return Bounds(settings.INBOX_BYTES, settings.INBOX_AGE, settings.DISK_RESERVE)


def held_by_inbox() -> Held:
    """Size and age of the backlog. Batches that wait for a fault to end delay no others, so they
    count for the size only."""
    waiting = Batch.objects.filter(set_aside_at=None).order_by()
    sums = waiting.aggregate(
        size=Sum(Length("body"), default=0),
        oldest=Min("received_at", filter=Q(next_try_at=None)),
    )
    oldest = sums["oldest"]
    behind = (timezone.now() - oldest).total_seconds() if oldest else 0.0
    return Held(sums["size"], max(behind, 0.0))


def data_disk() -> Disk:
    return _disk("data", Path(settings.DATA))


def artifact_disk() -> Disk | None:
    """Disk of the artifact store. None for an object store, whose capacity is unknown."""
    folder = artifact_store.place().folder
    if folder is None:
        return None
    return _disk("artifact", folder if folder.exists() else Path(settings.DATA))


def _disk(name: str, folder: Path) -> Disk:
    usage = shutil.disk_usage(folder)
    return Disk(name, usage.free, usage.total)
