"""SDK generation that sent an event, inferred from the event itself."""

from collections.abc import Mapping
from typing import Any

from outcomes.record.wire.posted import Source

NO_SDK = "outcomes API"
GATE = "Go gate log"


def family_of(item: Mapping[str, Any], source: Source) -> str:
    if source == "outcomes":
        return NO_SDK
    if item.get("action"):
        return _flat_family(item)
    if not item.get("call_id"):
        return GATE
    if item.get("decision"):
        return _by_end_of_time(item, "Python 0.17", "TypeScript 0.2 or Go 0.3")
    return _by_end_of_time(item, "Python to 0.16", "TypeScript 0.1 or Go to 0.2")


def _flat_family(item: Mapping[str, Any]) -> str:
    # Go uses a newer schema version than the other SDKs.
    if item.get("schema_version") == "0.4.0":
        return "Go from 0.4"
    at = item.get("timestamp")
    if isinstance(at, str) and at.endswith(("+00:00", "Z")):
        return _by_end_of_time(item, "Python from 0.18", "TypeScript from 0.3")
    return "Python from 0.18, TypeScript from 0.3 or Go from 0.4"


def _by_end_of_time(item: Mapping[str, Any], python: str, others: str) -> str:
    """SDK family by time format: only Python writes UTC as +00:00."""
    at = item.get("timestamp")
    return python if isinstance(at, str) and at.endswith("+00:00") else others
