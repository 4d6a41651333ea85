"""Removal of items nested so deeply that no parser accepts the body, found by counting brackets.

Parsers recurse level by level and fail when their stack ends, without naming the item.
"""

import re
from typing import Final

TOO_DEEP: Final = 256  # levels below the list of items; above what is accepted, below parser limits
_LONGEST: Final = 2 * 1024 * 1024  # bytes; a bracket takes 0.2 µs
_ITEM_LEVEL: Final = 2  # the object and the list inside it
# An unterminated string matches to the end, so that every byte is scanned once.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)


def without_the_deep(body: bytes) -> tuple[bytes, frozenset[int]]:
    """Body with these items replaced by 0, and their indexes. An overlong body stays unchanged."""
    if len(body) > _LONGEST:
        return body, frozenset()
    parts: list[bytes] = []
    places: set[int] = set()
    depth = index = begins = done = 0
    is_deep = False
    for token in _TOKEN.finditer(body):
        match token[0]:
            case b"[" | b"{":
                depth += 1
                if depth == _ITEM_LEVEL:
                    index = 0
                elif depth == _ITEM_LEVEL + 1:
                    begins = token.start()
                is_deep = is_deep or depth > TOO_DEEP
            case b"]" | b"}":
                if depth == _ITEM_LEVEL + 1 and is_deep:
                    parts += [body[done:begins], b"0"]
                    done, is_deep = token.end(), False
                    places.add(index)
                depth -= 1
            case b"," if depth == _ITEM_LEVEL:
                index += 1
    return b"".join([*parts, body[done:]]), frozenset(places)
