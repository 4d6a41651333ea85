"""Whole numbers as addresses and forms have them."""

from typing import Final

ID_DIGITS: Final = 18  # of a row's id: all that fit into a column of 64 bits


def whole_number(text: str | None, digits: int = 9) -> int | None:
    """None for anything else, and for more digits than a column takes: 32 bits hold 9 of them."""
    fits = text is not None and text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fits and text else None
