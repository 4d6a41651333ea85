"""Shortens text from exceptions and tools for a tool message."""

from __future__ import annotations

import json

LONGEST_TEXT = 6_000  # characters of JSON: half a tool message


def exception_text(error: BaseException) -> str:
    """Text such as `KeyError: 'account'`, or only the name if the exception has no usable text."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of others, whose text raises in its turn
        text = ""
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def fitting(text: str, most: int) -> str:
    """Beginning of a text that takes at most `most` characters as JSON."""
    shown = text[:most]
    while shown and len(json.dumps(shown)) > most:
        shown = shown[: len(shown) * 9 // 10]
    return shown


def shortened(text: str, most: int = LONGEST_TEXT) -> str:
    """Beginning of a text, followed by its full length if it was cut."""
    shown = fitting(text, most)
    if shown == text:
        return text
    note = f"… [{len(text):,} characters]"
    return fitting(text, most - len(json.dumps(note))) + note
