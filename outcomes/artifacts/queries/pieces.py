"""Pieces of a stored artifact for a page, read from their start, never the whole artifact.

A piece's cost is bounded by its window, however large the artifact and its lines are.
"""

from dataclasses import dataclass
from typing import Final

from governance.core.masking import masked_bytes
from outcomes.artifacts.domain.pieces import octets, tables, texts, trees
from outcomes.artifacts.domain.pieces.images import Image, image_of
from outcomes.artifacts.domain.pieces.kinds import HEAD, Shown, is_text, shown_as
from outcomes.artifacts.domain.pieces.octets import OctetRow, octet_rows
from outcomes.artifacts.domain.pieces.skipping import LONGEST, size_of_value
from outcomes.artifacts.domain.pieces.tables import Record, TablePiece, delimiter_of, table_piece
from outcomes.artifacts.domain.pieces.texts import TextPiece, text_piece
from outcomes.artifacts.domain.pieces.trees import TreePiece, container_at, tree_piece
from outcomes.core import artifact_store
from outcomes.core.artifact_store import FrameReader as Reader

PREVIEW: Final = 20  # lines, and 4 KiB
PREVIEWED: Final = 4_096
MARGIN: Final = 4_096  # bytes before and after a piece in which a secret may start or end


@dataclass(frozen=True, slots=True)
class Place:
    """Start of a piece as in a URL: `line` or `byte`, the other is None."""

    line: int | None = None
    byte: int | None = None
    container: int | None = None  # JSON: offset of the object or list
    number: int = 0  # index of the member that the piece starts with
    is_past: bool = False  # start after that member, which is long


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    shown: Shown
    ways: list[Shown]
    size_bytes: int
    stored_bytes: int
    lines: int
    start: int = 0
    stop: int = 0
    first_line: int = 1
    before: int | None = None  # first byte of the previous piece
    after: int | None = None
    next_line: int | None = None  # number of the next line, if the last one is cut off
    text: TextPiece | None = None
    table: TablePiece | None = None
    header: Record | None = None
    tree: TreePiece | None = None
    container: int | None = None
    is_lost: bool = False  # the end of a long member is too far away
    rows: list[OctetRow] | None = None
    image: Image | None = None


@dataclass(frozen=True, slots=True)
class Beginning:
    text: str
    is_text: bool
    is_complete: bool


def piece_of(project_id: int, sha256: str, media_type: str, way: str, at: Place) -> Piece | None:
    """Piece of an artifact, or None if its content cannot be read."""
    try:
        with artifact_store.Reader(project_id, sha256) as reader:
            return _piece(reader, media_type, way, at)
    except (artifact_store.NotStored, OSError):
        return None


def beginning_of(project_id: int, sha256: str) -> Beginning | None:
    """Preview for a page about something else, or None if the content cannot be read."""
    try:
        with artifact_store.Reader(project_id, sha256) as reader:
            head = _bytes(reader, 0, PREVIEWED)
            if image_of(head) is not None or not is_text(head):
                return Beginning("", is_text=False, is_complete=False)
            piece = text_piece(head, 0, 1, is_end=len(head) == reader.size_bytes, most=PREVIEW)
            text = "\n".join(line.text for line in piece.lines)
            return Beginning(text, is_text=True, is_complete=piece.stop == reader.size_bytes)
    except (artifact_store.NotStored, OSError):
        return None


def image_in(reader: Reader) -> Image | None:
    return image_of(b"".join(reader.bytes_of(0, HEAD)))


def _piece(reader: Reader, media_type: str, way: str, at: Place) -> Piece:
    head = _bytes(reader, 0, HEAD)
    ways = shown_as(media_type, head)
    shown = next((each for each in ways if each == way), ways[0])
    known = {
        "shown": shown,
        "ways": ways,
        "size_bytes": reader.size_bytes,
        "stored_bytes": reader.stored_bytes,
        "lines": reader.lines,
    }
    match shown:
        case Shown.TEXT:
            piece = _text(reader, at)
        case Shown.TABLE:
            piece = _table(reader, at, head)
        case Shown.JSON:
            piece = _tree(reader, at)
        case Shown.BYTES:
            piece = _octets(reader, at)
        case Shown.IMAGE:
            piece = {"image": image_of(head)}
    return Piece(**known | piece)


def _text(reader: Reader, at: Place) -> dict[str, object]:
    start = _start(reader, at)
    window = _bytes(reader, start, texts.WINDOW)
    line = reader.line_at(start)
    begun = reader.start_of_line(line)
    is_end = start + len(window) >= reader.size_bytes
    piece = text_piece(window, start, line, is_end=is_end, in_line=begun < start)
    is_cut = bool(piece.lines) and piece.lines[-1].is_cut
    return {
        "text": piece,
        "start": start,
        "stop": piece.stop,
        "first_line": line,
        "before": _before(reader, start, line, texts.LINES, texts.WINDOW),
        "after": _if_within(reader, piece.stop),
        "next_line": piece.lines[-1].number + 1
        if is_cut and piece.lines[-1].number < reader.lines
        else None,
    }


def _table(reader: Reader, at: Place, head: bytes) -> dict[str, object]:
    start, delimiter = _start(reader, at), delimiter_of(head)
    window = _bytes(reader, start, tables.WINDOW)
    line = reader.line_at(start)
    is_end = start + len(window) >= reader.size_bytes
    piece = table_piece(window, start, line, delimiter, is_end=is_end)
    first = piece
    if start:
        is_complete = len(head) >= reader.size_bytes
        first = table_piece(head, 0, 1, delimiter, is_end=is_complete, most=1)
    stop = piece.stop
    if stop is None:
        stop = reader.start_of_line(line + 1)
    return {
        "table": piece,
        "header": first.records[0] if first.records else None,
        "start": start,
        "stop": stop,
        "first_line": line,
        "before": _before(reader, start, line, tables.RECORDS, tables.WINDOW),
        "after": _if_within(reader, stop),
    }


def _tree(reader: Reader, at: Place) -> dict[str, object]:
    container = min(at.container or 0, reader.size_bytes)
    window = _bytes(reader, container, trees.WINDOW)
    kind, first = container_at(window)
    start = container + first
    number = 0
    if kind and at.byte is not None and at.byte >= start:
        start, number = at.byte, at.number
        if at.is_past:
            size = size_of_value(reader.bytes_of(start, start + LONGEST))
            if size is None:
                return {"tree": None, "container": container, "start": start, "is_lost": True}
            start, number = start + size, number + 1
        window = _bytes(reader, start, trees.WINDOW)
    else:
        window = window[first:]
    tree = tree_piece(window, start, kind, number)
    after = tree.next if tree.members and tree.next and tree.next < reader.size_bytes else None
    return {"tree": tree, "container": container, "start": start, "after": after}


def _octets(reader: Reader, at: Place) -> dict[str, object]:
    start = _start(reader, at) // octets.ROW * octets.ROW
    window = _bytes(reader, start, octets.WINDOW)
    return {
        "rows": octet_rows(window, start),
        "start": start,
        "stop": start + len(window),
        "before": max(0, start - octets.WINDOW) if start else None,
        "after": _if_within(reader, start + len(window)),
    }


def _start(reader: Reader, at: Place) -> int:
    if at.line is not None:
        return reader.start_of_line(min(at.line, max(1, reader.lines)))
    return min(at.byte or 0, max(0, int(reader.size_bytes) - 1))


def _before(reader: Reader, start: int, line: int, lines: int, window: int) -> int | None:
    """Start of the previous piece: some lines earlier, or as many as fit into a window."""
    if not start:
        return None
    some = reader.start_of_line(max(1, line - lines))
    if start - some <= window:
        return some
    near = _bytes(reader, start - window, window)
    # Not in the middle of a line, unless the line is longer than a window.
    end = near.find(b"\n", 0, len(near) - 1)
    return start - window + end + 1 if end >= 0 else start - window


def _if_within(reader: Reader, place: int) -> int | None:
    return place if place < reader.size_bytes else None


def _bytes(reader: Reader, start: int, size: int) -> bytes:
    """Bytes of a range, secrets masked even if they cross its ends. Fewer at the content's end."""
    first = max(0, start - MARGIN)
    around = b"".join(reader.bytes_of(first, start + size + MARGIN))
    return masked_bytes(around)[start - first :][:size]
