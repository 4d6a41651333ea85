"""A contract document as plain values in the new format, whether or not it is valid.

It may be an incomplete draft that the library rejects: scalars that can't be converted stay
strings, and keys are strings as written.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml

from governance.texts.document import Document

_SCALARS = yaml.constructor.SafeConstructor()
_TAG = "tag:yaml.org,2002:"


@lru_cache(maxsize=4)  # a page reads the same one or two repeatedly
def values_of(document: Document) -> Mapping[str, Any]:
    """Mappings, lists, strings, numbers, true, false and null only. Callers share the result, so
    they must not modify it."""
    root = yaml.compose(document.new_text, Loader=yaml.CSafeLoader)
    return mapping(value_of(root)) if root is not None else {}


def rules_in(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rules in order, with an empty one for each invalid item, so that indexes stay correct."""
    rules = values.get("rules")
    listed = rules if isinstance(rules, list) else []
    return [rule if isinstance(rule, dict) else {} for rule in listed]


def texts_in(value: object) -> list[str]:
    """Strings of a list, or the one string."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def tools_of(rule: Mapping[str, Any]) -> list[str]:
    """Tool patterns of a rule; a sandbox may have several."""
    return texts_in(rule.get("tool")) + texts_in(rule.get("tools"))


def action_of(rule: Mapping[str, Any]) -> str:
    if rule.get("type") == "sandbox":
        return str(rule.get("outside", "block"))
    return str(mapping(rule.get("then")).get("action", ""))


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items_of(node: yaml.Node | None) -> list[yaml.Node]:
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def value_of(node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): value_of(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [value_of(item) for item in node.value]
    return _scalar(node) if isinstance(node, yaml.ScalarNode) else None


def _scalar(node: yaml.ScalarNode) -> Any:
    try:
        match node.tag.removeprefix(_TAG):
            case "null":
                return None
            case "bool":
                return _SCALARS.construct_yaml_bool(node)
            case "int":
                return _SCALARS.construct_yaml_int(node)
            case "float":
                return _SCALARS.construct_yaml_float(node)
            case _:
                return str(node.value)
    except (ArithmeticError, LookupError, ValueError):  # tagged with the wrong type
        return str(node.value)
