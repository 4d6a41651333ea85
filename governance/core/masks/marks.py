"""Masks that replace secrets before storing.

`[masked:tokens:text:33-64:kmqz…]` names the detector, the type, the length class and a keyed
fingerprint, so equal secrets have equal masks. The fingerprint has only letters, so nothing parses
it as a number.
"""

import hmac
import re
from collections.abc import Iterator
from typing import Final, Literal

from governance.core.json_value import Json

MARK_BEGINS: Final = "[masked:"
MARK: Final = re.compile(
    r"\[masked:[a-z0-9-]{1,48}:(?:text|number):\d{1,6}(?:-\d{1,6}|\+):[g-z]{16}\]"
)
_CUT: Final = re.compile(r"\[masked:[^\]\s]{0,96}\Z")  # a truncated mask at the end of a text
_AS_NORMAL: Final = {"e-mails": "…@…", "ibans": "#"}  # as in groups of similar calls
_LETTERS: Final = str.maketrans("0123456789abcdef", "ghjkmnpqrstvwxyz")
_CLASSES: Final = (4, 8, 16, 32, 64, 128, 256, 1_024, 4_096)


def mask_of(secret: str, *, key: bytes, detector: str, kind: Literal["text", "number"]) -> str:
    digest = hmac.digest(key, secret.encode("utf-8", "surrogatepass"), "sha256")
    fingerprint = digest[:8].hex().translate(_LETTERS)
    return f"{MARK_BEGINS}{detector}:{kind}:{length_class(len(secret))}:{fingerprint}]"


def length_class(length: int) -> str:
    """Range that contains a length; the exact length would help to guess the secret."""
    below = 0
    for most in _CLASSES:
        if length <= most:
            return f"{below + 1}-{most}"
        below = most
    return f"{below + 1}+"


def is_mark(text: str) -> bool:
    return text.startswith(MARK_BEGINS) and MARK.fullmatch(text) is not None


def without_fingerprints(text: str) -> str:
    """Text with masks made equal, to group calls by what they have in common."""
    if MARK_BEGINS not in text:
        return text
    return _CUT.sub(_general, MARK.sub(_general, text))


def _general(mark: re.Match[str]) -> str:
    """Text that a secret of this kind has if it is masked only on display."""
    detector = mark[0].removeprefix(MARK_BEGINS).partition(":")[0]
    if detector.startswith("own-"):
        return f"[{detector}]"
    return _AS_NORMAL.get(detector, "[masked]")


def has_mark(value: Json) -> bool:
    """Whether any text or field name in the value contains a mask."""
    return any(MARK_BEGINS in text for text in _texts(value))


def _texts(value: Json) -> Iterator[str]:
    waiting: list[Json] = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                yield text
            case list() as items:
                waiting += items
            case dict() as fields:
                yield from fields
                waiting += fields.values()
            case _:
                pass
