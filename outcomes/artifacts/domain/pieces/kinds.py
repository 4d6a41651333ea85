"""Ways to show an artifact: by its declared type, if its first bytes confirm it."""

from enum import StrEnum
from typing import Final

from outcomes.artifacts.domain.pieces.images import image_of
from outcomes.artifacts.domain.pieces.tables import delimiter_of

HEAD: Final = 128 * 1024  # bytes; an embedded thumbnail may precede an image's size
_BEGINNING: Final = 4_096  # bytes that decide whether it is text
_SPOILT: Final = 0.1  # share of characters that may be invalid in text
_TABLES: Final = frozenset({"text/csv", "application/csv", "text/tab-separated-values"})
_BLANK: Final = b" \t\r\n"
_BOM: Final = b"\xef\xbb\xbf"


class Shown(StrEnum):
    TEXT = "text"
    JSON = "json"
    TABLE = "table"
    IMAGE = "image"
    BYTES = "bytes"


def shown_as(media_type: str, head: bytes) -> list[Shown]:
    """Views that can show it, best first."""
    if image_of(head) is not None:
        return [Shown.IMAGE, Shown.BYTES]
    head = head[:_BEGINNING]
    if not is_text(head):
        return [Shown.BYTES, Shown.TEXT]
    kind = media_type.partition(";")[0].strip().lower()
    ways = [Shown.TEXT, Shown.BYTES]
    if head.removeprefix(_BOM).lstrip(_BLANK)[:1] in (b"{", b"["):
        says_so = kind == "application/json" or kind.endswith("+json")
        ways.insert(0 if says_so else 1, Shown.JSON)
    elif delimiter_of(head):
        ways.insert(0 if kind in _TABLES else 1, Shown.TABLE)
    return ways


def is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    # A character cut off at the end counts as one invalid character.
    text = head.decode("utf-8", "replace")
    return text.count("\N{REPLACEMENT CHARACTER}") <= max(1, len(text) * _SPOILT)
