"""A contract document as plain values, in the words of the new dialect, whatever it holds.

It may be a half-written draft that the library refuses: what cannot be read as a number or a date
stays the text that stands there, and keys are texts as they are written.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import yaml

from governance.texts.document import Document

_SCALARS = yaml.constructor.SafeConstructor()
_TAG = "tag:yaml.org,2002:"


@lru_cache(maxsize=4)  # a page asks for the same one or two again and again
def values_of(document: Document) -> Mapping[str, Any]:
    """Keys, lists, texts, numbers, true, false and null: nothing else comes out of it. Only to be
    looked at: others are given the same."""
    root = yaml.compose(document.new_text, Loader=yaml.CSafeLoader)
    return mapping(value_of(root)) if root is not None else {}


def rules_in(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """In their order, with an empty one where something else stands, so that places stay true."""
    rules = values.get("rules")
    listed = rules if isinstance(rules, list) else []
    return [rule if isinstance(rule, dict) else {} for rule in listed]


def texts_in(value: object) -> list[str]:
    """The texts of a list, or the one text."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def tools_of(rule: Mapping[str, Any]) -> list[str]:
    """Its patterns; a sandbox may have several."""
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
    except (ArithmeticError, LookupError, ValueError):  # tagged as what it is not
        return str(node.value)
