"""Text that every database can store, and names in sentences."""

from typing import Final

_NAME: Final = 60  # characters


def code(name: str) -> str:
    """A name in backticks, on one line; a long one is cut."""
    name = " ".join(name.replace("`", "'").split())
    return f"`{name if len(name) <= _NAME else name[: _NAME - 1] + '…'}`"


def is_storable(text: str) -> bool:
    """Whether a text has no NUL, which PostgreSQL rejects, and no lone surrogates (not UTF-8)."""
    return "\0" not in text and (
        text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
    )
