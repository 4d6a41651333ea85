"""The two formats of a contract, and the word substitution that converts between them.

Each word of one format is replaced by its counterpart in the other. A document that mixes both
stays mixed, so the library rejects it as every SDK does, and converting twice restores the
original.
"""

from collections.abc import Mapping
from enum import StrEnum

Path = tuple[str | int, ...]


class Dialect(StrEnum):
    OLD = "old"
    NEW = "new"


def _both_ways(old_to_new: Mapping[str, str]) -> dict[str, str]:
    return {**old_to_new, **{new: old for old, new in old_to_new.items()}}


_RULES = _both_ways({"contracts": "rules"})
_KINDS = _both_ways({"ContractBundle": "Ruleset"})
_ACTIONS = _both_ways({"deny": "block", "approve": "ask"})
_THEN_KEYS = _both_ways({"effect": "action", "timeout_effect": "timeout_action"})
_RULE_KEYS = _both_ways({"timeout_effect": "timeout_action"})


def dialect_of(*, kind: object, has_contracts: bool) -> Dialect:
    """Format by `kind`, or by the name of the list of rules if `kind` is unknown."""
    if kind == "ContractBundle" or (kind != "Ruleset" and has_contracts):
        return Dialect.OLD
    return Dialect.NEW


def dialect_spoken(setting: str, path: str) -> Dialect:
    """Format set for the API key, else by the path prefix, which only misleads for SDK 0.17: old
    prefix, new format."""
    if setting:
        return Dialect(setting)
    return Dialect.OLD if path.startswith("/api/") else Dialect.NEW


def swap_key(parent: Path, key: str) -> str:
    """Counterpart of a key in the mapping at `parent`."""
    return _keys_at(parent).get(key, key)


def swap_value(path: Path, value: str) -> str:
    """Counterpart of a word at `path`."""
    return _values_at(path).get(value, value)


def swap_path(path: Path) -> Path:
    return tuple(
        swap_key(path[:depth], step) if isinstance(step, str) else step
        for depth, step in enumerate(path)
    )


def _keys_at(parent: Path) -> dict[str, str]:
    match parent:
        case ():
            return _RULES
        case ("rules" | "contracts", int()):
            return _RULE_KEYS
        case ("rules" | "contracts", int(), "then"):
            return _THEN_KEYS
        case _:
            return {}


def _values_at(path: Path) -> dict[str, str]:
    match path:
        case ("kind",):
            return _KINDS
        case ("rules" | "contracts", int(), "outside" | "timeout_effect" | "timeout_action"):
            return _ACTIONS
        case (
            "rules" | "contracts",
            int(),
            "then",
            "effect" | "action" | "timeout_effect" | "timeout_action",
        ):
            return _ACTIONS
        case _:
            return {}
