"""How a stored artifact begins, when it is text."""

from dataclasses import dataclass
from typing import Final

from outcomes import artifact_store

LINES: Final = 20
BYTES: Final = 4_096


@dataclass(frozen=True, slots=True)
class Preview:
    text: str
    is_text: bool
    is_whole: bool


def preview_of(project_id: int, sha256: str) -> Preview | None:
    """None when the bytes are gone."""
    try:
        with artifact_store.Reader(project_id, sha256) as reader:
            _, end = reader.place_of_lines(1, LINES)
            head = b"".join(reader.bytes_of(0, min(end, BYTES)))
            is_whole = len(head) == reader.size_bytes
    except artifact_store.NotStored:
        return None
    text = _text(head, is_whole=is_whole)
    return Preview(text or "", text is not None, is_whole)


def _text(head: bytes, *, is_whole: bool) -> str | None:
    if b"\0" in head:
        return None
    # Of a character that was cut in two, the first half is no mistake.
    for cut in range(1 if is_whole else 4):
        try:
            return head[: len(head) - cut].decode()
        except UnicodeDecodeError:
            continue
    return None
