"""Parse numbers in URLs and forms."""

from typing import Any, Final

ID_DIGITS: Final = 18  # of a row's id: always fits a 64-bit column


def parse_number(text: str | None, digits: int = 9) -> int | None:
    """Parse decimal digits. None for anything else, and for more digits than the column can hold
    (9 fit into 32 bits)."""
    fits = text is not None and text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fits and text else None


# JSON schema of a version number, which may also be a decimal string.
VERSION_SHAPE: Final[dict[str, Any]] = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
        {"type": "string", "pattern": "^[1-9][0-9]{0,8}$"},
    ]
}
