"""Lines of text from arbitrary bytes. Invalid and control characters are made visible."""

import re
from dataclasses import dataclass
from typing import Final

LINES: Final = 200  # per piece
WINDOW: Final = 64 * 1024  # bytes of one piece

_PICTURES: Final = 0x2400  # start of Unicode's control pictures
_TURNS: Final = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
# Characters that move the cursor or change the text direction, with visible replacements.
_VISIBLE: Final = {
    **{code: chr(_PICTURES + code) for code in range(0x20) if chr(code) not in "\t\n"},
    **{code: f"⟨U+{code:04X}⟩" for code in (0x7F, *range(0x80, 0xA0), 0x2028, 0x2029, *_TURNS)},
}
_BEGUN: Final = re.compile(
    rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z"
)
_NO_TEXT: Final = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    goes_on: bool = False  # started before this piece
    is_cut: bool = False  # continues after it


@dataclass(frozen=True, slots=True)
class TextPiece:
    lines: list[Line]
    start: int
    stop: int
    spoilt: int  # number of invalid UTF-8 sequences


def text_piece(
    window: bytes, start: int, line: int, *, is_end: bool, in_line: bool = False, most: int = LINES
) -> TextPiece:
    """Complete lines in a window. If one line is longer than the window, the part inside it."""
    lines = window.split(b"\n", most)
    rest = lines.pop()
    is_cut = False
    if rest and len(lines) < most and (is_end or not lines):
        is_cut = not is_end
        lines.append(complete_characters(rest) if is_cut else rest)
        stop = start + len(b"\n".join(lines))
    else:
        stop = start + len(window) - len(rest)
    texts = [each.decode("utf-8", "replace") for each in lines]
    last = len(texts) - 1
    return TextPiece(
        [
            Line(line + place, visible(text), in_line and place == 0, is_cut and place == last)
            for place, text in enumerate(texts)
        ],
        start,
        stop,
        sum(text.count(_NO_TEXT) for text in texts)
        - sum(each.count(_NO_TEXT.encode()) for each in lines),
    )


def visible(text: str) -> str:
    return text.removesuffix("\r").translate(_VISIBLE)


def complete_characters(window: bytes) -> bytes:
    """Window without an incomplete character at its end."""
    begun = _BEGUN.search(window[-3:])
    return window[: len(window) - len(begun.group())] if begun else window
