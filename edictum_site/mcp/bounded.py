"""Truncate answers to a size that assistants can read, by cutting long texts and lists."""

from typing import Any, Final

import msgspec

LARGEST: Final = 24_000  # characters of an answer
# Limits tried in order: characters per text, and items per list or object.
_STEPS: Final = ((8_000, 200), (2_000, 100), (500, 50), (200, 20), (80, 10), (40, 4))


def bounded(value: Any, largest: int = LARGEST) -> tuple[str, bool]:
    """The value as JSON, and whether it was truncated."""
    text = _written(value)
    if len(text) <= largest:
        return text, False
    for characters, items in _STEPS:
        text = _written(_cut(value, characters, items))
        if len(text) <= largest:
            return text, True
    return _written({"left_out": "The answer is too large. Ask for less."}), True


def _cut(value: Any, characters: int, items: int) -> Any:
    if isinstance(value, str):
        rest = len(value) - characters
        return f"{value[:characters]}… [{rest:,} more characters]" if rest > 0 else value
    if isinstance(value, list):
        shown = [_cut(each, characters, items) for each in value[:items]]
        rest = len(value) - items
        return [*shown, f"… [{rest:,} more items]"] if rest > 0 else shown
    if isinstance(value, dict):
        named = list(value.items())
        shown_items = {key: _cut(each, characters, items) for key, each in named[: max(items, 40)]}
        rest = len(named) - max(items, 40)
        return shown_items | {"…": f"[{rest:,} more fields]"} if rest > 0 else shown_items
    return value


def _written(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()
