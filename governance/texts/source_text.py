"""Decodes submitted bytes to text that YAML allows, or reports the position of the first error."""

import re
from typing import Never

from governance.core.errors import DocumentInvalid, Problem

_NOT_PRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # excluded by YAML
)
_LINE_END = re.compile("\r\n|\n|\r")


def decoded(source: bytes | str, *, at_most: int) -> str:
    try:
        raw = source.encode() if isinstance(source, str) else source
    except UnicodeEncodeError as error:
        refuse_at(error.start, error.object, "A lone surrogate is not a character.")
    if len(raw) > at_most:
        readable = raw[:at_most].decode(errors="ignore")
        detail = (
            f"The document has {len(raw):,} bytes; at most {at_most:,} are allowed."
            " The limit is here."
        )
        refuse_at(len(readable), readable, detail)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        refuse_at(error.start, raw[: error.start].decode(), "This is not UTF-8.")
    if text.startswith("\ufeff"):
        refuse_at(0, text, "The text begins with a byte order mark: save it without one.")
    if match := _NOT_PRINTABLE.search(text):
        name = "A NUL" if match[0] == "\0" else f"The control character U+{ord(match[0]):04X}"
        refuse_at(match.start(), text, f"{name} isn't allowed in YAML.")
    return text


def refuse_at(index: int, text: str, message: str) -> Never:
    before = _LINE_END.split(text[:index])
    raise DocumentInvalid([Problem(message=message, line=len(before), column=len(before[-1]) + 1)])
