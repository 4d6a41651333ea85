"""Selectors that match values in recorded results, suggested when writing a condition."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from governance.core.json_value import Json

MOST: Final = 300
_DEEPEST: Final = 4
_WIDEST: Final = 40
_ITEMS: Final = 5
_LONGEST_KEY: Final = 64
_LONGEST_JSON: Final = 65_536
_BARE = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@-]*")


def selectors_in(results: Iterable[Json]) -> list[str]:
    """Distinct selectors in results, at most MOST, in the order of the results."""
    selectors: dict[str, None] = {}
    for result in results:
        for selector in _paths("result", result, 0):
            selectors.setdefault(selector)
            if len(selectors) >= MOST:
                return list(selectors)
    return list(selectors)


def _paths(above: str, value: Json, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    match value:
        case dict():
            for key in islice(value, _WIDEST):
                if len(key) <= _LONGEST_KEY and "\0" not in key:
                    name = key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)
                    yield f"{above}.{name}"
                    yield from _paths(f"{above}.{name}", value[key], depth + 1)
        case list() if value:
            yield f"{above}[*]"
            for item in value[:_ITEMS]:
                yield from _paths(f"{above}[*]", item, depth + 1)
        case str() if value[:1] in ("{", "[") and "|json" not in above:
            yield from _inside(above, value, depth)
        case _:
            pass


def _inside(above: str, text: str, depth: int) -> Iterator[str]:
    if len(text) > _LONGEST_JSON:
        return
    try:
        inner = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from _paths(f"{above}|json", inner, depth)
