"""Secret detection in content that arrives in pieces."""

from collections.abc import Iterable, Iterator
from typing import Final

from governance.core.masks.stored import StoredMasking

OVERLAP: Final = 8_192  # bytes scanned again with the next piece


class SecretInContent(Exception):
    """A detector matched in the content."""

    def __init__(self, detector: str, place: int) -> None:
        super().__init__(f"{detector} at byte {place:,}")
        self.detector = detector
        self.place = place


def without_secrets(content: Iterable[bytes], masking: StoredMasking) -> Iterator[bytes]:
    """Pieces of the content, unchanged. Raises SecretInContent before a piece with a secret."""
    before, place = b"", 0
    for piece in content:
        part = before + piece
        _refuse(part, place, masking, is_end=False)
        before = part[-OVERLAP:]
        place += len(part) - len(before)
        yield piece
    _refuse(before, place, masking, is_end=True)


def _refuse(part: bytes, place: int, masking: StoredMasking, *, is_end: bool) -> None:
    """Raise if a part contains a secret. A short match at its end is checked with the next part."""
    text = part.decode("latin-1")
    for start, end, detector in masking.hits(text):
        if is_end or end < len(text) or start < len(text) - OVERLAP:
            raise SecretInContent(detector, place + start)
