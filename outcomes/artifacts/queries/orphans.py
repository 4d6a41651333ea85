"""Artifact rows without content, and content without a row."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from outcomes.core import artifact_store
from outcomes.models import Artifact

LEFT_AFTER: Final = timedelta(hours=25)  # the hourly removal has had its turn


@dataclass(frozen=True, slots=True)
class Orphans:
    rows: int
    missing: list[str]  # SHA-256 of rows without content
    unnamed: int  # contents without a row
    drafts: int  # uploads that ended halfway


def orphans() -> Orphans:
    """Compares all rows with all of the store. Rows are read last: a row is newer than its
    content, and one that is removed goes with it."""
    stored = set(artifact_store.stored_names())
    every = Artifact.objects.order_by()
    rows = set(every.values_list("project", "sha256").iterator())
    removed = set(every.exclude(removed_at=None).values_list("project", "sha256").iterator())
    # Listed before the row was there, or in another order: only a second miss is one.
    missing = [each for each in sorted(rows - stored - removed) if _is_gone(*each)]
    drafts = artifact_store.drafts(older_than=LEFT_AFTER)
    return Orphans(len(rows), [sha256 for _, sha256 in missing], len(stored - rows), drafts)


def _is_gone(project: int, sha256: str) -> bool:
    """Whether the row is still there and its content is not."""
    return (
        artifact_store.stored_bytes(project, sha256) is None
        and Artifact.objects.filter(project=project, sha256=sha256, removed_at=None).exists()
    )
