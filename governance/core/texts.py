"""Texts as they come out of JSON, and whether a database can keep them."""


def can_be_kept(text: str) -> bool:
    """Without NUL, which PostgreSQL refuses, and without half a character, which has no bytes."""
    return "\0" not in text and (
        text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
    )
