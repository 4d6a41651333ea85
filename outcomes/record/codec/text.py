"""Identifiers and texts as columns hold them."""

from hashlib import sha256


def digest_of(identifier: str) -> bytes:
    """Finds an identifier of any length in an index: 16 bytes of its SHA-256."""
    return sha256(identifier.encode()).digest()[:16]


def as_text(value: str) -> str:
    """PostgreSQL keeps no NUL in text; where a column only shows, its picture stands in."""
    return value.replace("\0", "\N{SYMBOL FOR NULL}") if "\0" in value else value
