"""Reasons for rejecting an item: a code for programs and a sentence for people."""

from dataclasses import dataclass

MAX_WITHOUT_OUTPUT = 1024 * 1024  # bytes of an item excluding its output, which can be offloaded
EXCERPT = 1_000  # bytes of a rejected item that are stored
LONGEST_FIELD = 128  # characters of an unknown field's name in a warning
# Text in decoder errors, and our code for it.
DECODER_ERRORS = (
    ("missing required field", "missing_field"),
    ("Invalid enum value", "unknown_type"),
    ("of length", "wrong_length"),
    ("out of range", "number_out_of_range"),
    ("Expected", "wrong_type"),
    ("malformed", "not_json"),
    ("truncated", "not_json"),
)


class BodyRefused(Exception):
    """The body is invalid; none of it was stored."""

    def __init__(self, status: int, code: str, detail: str, *, retry_after: int = 0) -> None:
        super().__init__(detail)
        self.retry_after = retry_after  # seconds; 0 if a retry would be rejected too
        self.status = status
        self.code = code
        self.detail = detail


class ItemRefused(Exception):
    """This item is invalid; the others are still accepted."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Refusal:
    index: int
    code: str
    detail: str
    excerpt: bytes


@dataclass(frozen=True, slots=True)
class Warned:
    """Unknown field of an accepted item: stored but not used."""

    index: int
    field: str


def refused(error: Exception) -> ItemRefused:
    """Rejection for a decoder error, with our code."""
    if isinstance(error, ItemRefused):
        return error
    text = str(error)
    if isinstance(error, RecursionError):
        return ItemRefused("too_deep", "The item is nested too deeply.")
    if isinstance(error, UnicodeDecodeError):
        return ItemRefused("not_utf8", "A string in the item is not valid UTF-8.")
    for beginning, code in DECODER_ERRORS:
        if beginning in text:
            return ItemRefused(code, text)
    return ItemRefused("invalid_item", text)
