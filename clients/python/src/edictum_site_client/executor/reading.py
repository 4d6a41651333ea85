"""Tool that lets a model read an artifact."""

from __future__ import annotations

from typing import Any

from edictum_site_client.executor.artifacts import ArtifactStore
from edictum_site_client.executor.texts import fitting
from edictum_site_client.executor.tools import ToolSpec
from edictum_site_client.outcomes import TOOL_MESSAGE_MAX_CHARS

LINES = 200
RESERVED = 100  # characters of a tool message besides the text itself


def read_file(store: ArtifactStore, max_chars: int = TOOL_MESSAGE_MAX_CHARS) -> ToolSpec:
    """Tool that reads lines or bytes of an artifact, at most as much as fits into a message."""

    def read(
        artifact_reference: str,
        first_line: int = 1,
        last_line: int | None = None,
        first_byte: int | None = None,
        last_byte: int | None = None,
    ) -> dict[str, Any]:
        """Read lines of an artifact, counted from 1, or bytes, counted from 0, both inclusive."""
        if first_byte is not None or last_byte is not None:
            begin = first_byte or 0
            end = begin + max_chars - 1 if last_byte is None else last_byte
            content = store.read_bytes(artifact_reference, begin, end)
            shown = _fitting(content, max_chars - RESERVED)
            # A full read never fits, so if everything was shown, this is the artifact's end.
            is_all = len(shown) == len(content)
            return _piece(shown, None if is_all else ("next_byte", begin + len(shown)))
        end = first_line + LINES if last_line is None else last_line  # one extra, to detect more
        content = store.read_lines(artifact_reference, first_line, end)
        more = b""
        if last_line is None:
            content, more = _first_lines(content)
        return _piece(*_lines(content, first_line, max_chars, is_all=not more))

    return ToolSpec("read_file", read)


Next = tuple[str, int] | None


def _first_lines(content: bytes) -> tuple[bytes, bytes]:
    """Split content after `LINES` lines: those lines, and the rest."""
    lines = content.split(b"\n", LINES)
    more = lines[LINES] if len(lines) > LINES else b""
    return content[: len(content) - len(more)], more


def _lines(content: bytes, first: int, max_chars: int, *, is_all: bool) -> tuple[bytes, Next]:
    shown = _fitting(content, max_chars - RESERVED)
    if len(shown) == len(content):
        return shown, None if is_all else ("next_line", first + content.count(b"\n"))
    if b"\n" not in shown:
        raise ValueError(f"Line {first} is too long for one message: read it by bytes.")
    shown = shown[: shown.rindex(b"\n") + 1]
    return shown, ("next_line", first + shown.count(b"\n"))


def _piece(shown: bytes, following: Next) -> dict[str, Any]:
    text = {"text": shown.decode("utf-8", "replace")}
    return text if following is None else {**text, following[0]: following[1]}


def _fitting(content: bytes, most: int) -> bytes:
    text = fitting(content.decode("utf-8", "surrogateescape"), most)
    return text.encode("utf-8", "surrogateescape")
