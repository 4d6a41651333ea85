"""Artifact rows without content, and content without a row."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from outcomes.core import artifact_store
from outcomes.models import Artifact

LEFT_AFTER: Final = timedelta(hours=25)  # by then the hourly removal has run


@dataclass(frozen=True, slots=True)
class Orphans:
    rows: int
    missing: list[str]  # SHA-256 of rows without content
    unnamed: int  # contents without a row
    drafts: int  # incomplete uploads


def orphans() -> Orphans:
    """Compare all rows with the store's contents. Rows are read last, because content is written
    before its row and removed with it."""
    stored = set(artifact_store.stored_names())
    every = Artifact.objects.order_by()
    rows = set(every.values_list("project", "sha256").iterator())
    removed = set(every.exclude(removed_at=None).values_list("project", "sha256").iterator())
    # The content may have been listed before it was stored, so each miss is checked again.
    missing = [each for each in sorted(rows - stored - removed) if _is_gone(*each)]
    drafts = artifact_store.drafts(older_than=LEFT_AFTER)
    return Orphans(len(rows), [sha256 for _, sha256 in missing], len(stored - rows), drafts)


def _is_gone(project: int, sha256: str) -> bool:
    """Whether the row is still there and its content is not."""
    return (
        artifact_store.stored_bytes(project, sha256) is None
        and Artifact.objects.filter(project=project, sha256=sha256, removed_at=None).exists()
    )
