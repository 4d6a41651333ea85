"""Items nested so deep that no reader takes their post: found by counting brackets, and cut out.

Readers go down level by level and end where their stack does, whichever item it was.
"""

import re
from typing import Final

TOO_DEEP: Final = 256  # levels below the list of items; far beyond what is taken, far below readers
_LONGEST: Final = 2 * 1024 * 1024  # bytes: a bracket takes a fifth of a microsecond
_ITEM_LEVEL: Final = 2  # the object, and in it the list
# A text without an end goes on to the end, so that no letter is looked at twice.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)


def without_the_deep(body: bytes) -> tuple[bytes, frozenset[int]]:
    """With a 0 in the place of each, and the places in their list; none in one that is too long."""
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
