"""Payload of an item, wherever a sender puts it: arguments and output of the tool."""

from typing import Any, Final

from outcomes.record.wire.posted import FIELDS

ARGUMENTS: Final = "tool_args"
OUTPUT: Final = "output"
_SUMMARY: Final = "result_summary"  # in older SDKs: beginning of an output


def remove_payload(item: dict[str, Any]) -> list[str]:
    """Remove the payload from the item and return the names of the removed fields."""
    removed = _remove(item, ARGUMENTS, OUTPUT, _SUMMARY)
    payload = item.get("payload")
    if isinstance(payload, dict):
        removed |= _remove(payload, ARGUMENTS, OUTPUT, _SUMMARY)
    if "type" in item:  # POST outcomes: unknown fields can contain anything
        removed |= _remove(item, *(name for name in item if name not in FIELDS))
    return sorted(removed)


def _remove(item: dict[str, Any], *names: str) -> set[str]:
    there = {name for name in names if name in item}
    values = {name: item.pop(name) for name in there}
    return {name for name, value in values.items() if value is not None or name == OUTPUT}
