"""Which generation of SDK sent an event, as far as its own words show."""

from collections.abc import Mapping
from typing import Any

from outcomes.wire.sender import Source

NO_SDK = "outcomes API"
GATE = "Go gate log"


def family_of(item: Mapping[str, Any], source: Source) -> str:
    if source == "outcomes":
        return NO_SDK
    if item.get("action"):
        return _of_flat(item)
    if not item.get("call_id"):
        return GATE
    if item.get("decision"):
        return "Python 0.17, TypeScript 0.2 or Go 0.3"
    return "Python to 0.16, TypeScript 0.1 or Go to 0.2"


def _of_flat(item: Mapping[str, Any]) -> str:
    # Go counts its schema further than the others; those two write the end of a time differently.
    if item.get("schema_version") == "0.4.0":
        return "Go from 0.4"
    at = item.get("timestamp")
    if isinstance(at, str) and at.endswith("+00:00"):
        return "Python from 0.18"
    if isinstance(at, str) and at.endswith("Z"):
        return "TypeScript from 0.3"
    return "Python from 0.18, TypeScript from 0.3 or Go from 0.4"
