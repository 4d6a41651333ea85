"""The payload of an item: what a tool was given and what it returned, wherever a sender puts it."""

from typing import Any, Final

from outcomes.record.wire.posted import FIELDS

ARGUMENTS: Final = "tool_args"
OUTPUT: Final = "output"
_SUMMARY: Final = "result_summary"  # of older SDKs: how an output begins


def remove_payload(item: dict[str, Any]) -> list[str]:
    """Remove it from the item, and return the names of what was there."""
    removed = _remove(item, ARGUMENTS, OUTPUT, _SUMMARY)
    payload = item.get("payload")
    if isinstance(payload, dict):
        removed |= _remove(payload, ARGUMENTS, OUTPUT, _SUMMARY)
    if "type" in item:  # of POST outcomes: what no field holds may be anything
        removed |= _remove(item, *(name for name in item if name not in FIELDS))
    return sorted(removed)


def _remove(item: dict[str, Any], *names: str) -> set[str]:
    there = {name for name in names if name in item}
    values = {name: item.pop(name) for name in there}
    return {name for name, value in values.items() if value is not None or name == OUTPUT}
