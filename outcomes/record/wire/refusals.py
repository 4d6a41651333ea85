"""Why one item was refused, in a code for programs and a sentence for people."""

from dataclasses import dataclass

MAX_WITHOUT_OUTPUT = (
    1024 * 1024
)  # bytes of an item beside its output, which alone may be moved elsewhere
EXCERPT = 1_000  # bytes of a refused item that are kept
LONGEST_FIELD = 128  # characters of an unknown field's name in a warning
# How a sentence of the decoder tells what is wrong, and our code for it.
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
    """The body is invalid; nothing of it was stored."""

    def __init__(self, status: int, code: str, detail: str, *, retry_after: int = 0) -> None:
        super().__init__(detail)
        self.retry_after = retry_after  # seconds; none where the same would be refused again
        self.status = status
        self.code = code
        self.detail = detail


class ItemRefused(Exception):
    """This item cannot be kept; its neighbours can."""

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
    """An unknown field of an accepted item: stored, and never read."""

    index: int
    field: str


def refused(error: Exception) -> ItemRefused:
    """Rejection for an error of the decoder, with a code of ours."""
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
