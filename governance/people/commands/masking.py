"""Masking before storing: mask people's texts, reject secrets in documents, count masks."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from django.db.models import F
from django.utils import timezone

from governance.core.errors import InvalidInput
from governance.core.masks.detectors import Detector
from governance.models import DetectorTotal
from governance.people.queries.masking import masking_of

SHORTEST_COLUMN: Final = 2_000  # characters that every reason or message column can hold


def as_stored(project_id: int, text: str) -> str:
    """Text, masked if the project masks it. Call this in the transaction that stores the text."""
    masking = masking_of(project_id)
    if masking is None:
        return text
    counts = Counter[str]()
    masked = masking.text(text, counts)
    count_masks(project_id, counts)
    return masked[: max(len(text), SHORTEST_COLUMN)]  # masks may be longer than secrets


def refuse_secrets(
    project_id: int, document: str | bytes, *, path: str, by_name: bool = False
) -> None:
    """Reject a contract, check or test that contains a secret: a mask would change its meaning.
    A field name alone is not a secret, because rules refer to fields."""
    text = document if isinstance(document, str) else document.decode("utf-8", "replace")
    masking = masking_of(project_id)
    hits = [] if masking is None else masking.hits(text)
    if not by_name:
        hits = [each for each in hits if each[2] != Detector.NAMES]
    if not hits:
        return
    places = ", ".join(_place(text, start, detector) for start, _, detector in hits[:5])
    message = f"This project masks secrets before storing, and the text holds some: {places}."
    raise InvalidInput.at(path, f"{message} Remove them.")


def count_masks(project_id: int, counts: Mapping[str, int]) -> None:
    """Add to the totals of masked values, in the transaction that stores the masked text."""
    now = timezone.now()
    for detector, masked in sorted(counts.items()):  # fixed order, to avoid deadlocks
        row = DetectorTotal.objects.filter(project=project_id, detector=detector)
        added = {"masked": F("masked") + masked, "last_at": now}
        if not row.update(**added):
            first = DetectorTotal(project_id=project_id, detector=detector, masked=0, last_at=now)
            DetectorTotal.objects.bulk_create([first], ignore_conflicts=True)
            row.update(**added)


def _place(text: str, start: int, detector: str) -> str:
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    return f"{detector} in line {line}, column {column}"
