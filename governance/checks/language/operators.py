"""Operators of conditions: operand types, allowed options, and common misspellings."""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from governance.texts.lint_finding import nearest


class Takes(Enum):
    TRUTH = auto()
    VALUE = auto()
    VALUES = auto()
    TEXT = auto()
    TEXTS = auto()
    PATTERN = auto()
    PATTERNS = auto()
    NUMBER = auto()
    TYPE = auto()
    COMPARISON = auto()
    ITEM = auto()
    COUNT = auto()


OPERATORS: Final[Mapping[str, Takes]] = {
    "exists": Takes.TRUTH,
    "equals": Takes.VALUE,
    "not_equals": Takes.VALUE,
    "in": Takes.VALUES,
    "not_in": Takes.VALUES,
    "contains": Takes.TEXT,
    "contains_any": Takes.TEXTS,
    "starts_with": Takes.TEXT,
    "ends_with": Takes.TEXT,
    "matches": Takes.PATTERN,
    "matches_any": Takes.PATTERNS,
    "gt": Takes.NUMBER,
    "gte": Takes.NUMBER,
    "lt": Takes.NUMBER,
    "lte": Takes.NUMBER,
    "type": Takes.TYPE,
    "empty": Takes.TRUTH,
    "length": Takes.COMPARISON,
    "any_item": Takes.ITEM,
    "every_item": Takes.ITEM,
    "no_item": Takes.ITEM,
    "count_items": Takes.COUNT,
}
COMPARISONS: Final = ("equals", "not_equals", "gt", "gte", "lt", "lte")
TYPES: Final = ("null", "bool", "number", "string", "array", "object")
COMBINED: Final = ("all", "any", "not")
_COMPARE_TEXTS: Final = frozenset(
    ("equals", "not_equals", "in", "not_in", "contains", "contains_any", "starts_with", "ends_with")
)
_PATTERNS: Final = frozenset(("matches", "matches_any"))
OPTIONS: Final[Mapping[str, frozenset[str]]] = {  # operators that each option works with
    "ignore_case": _COMPARE_TEXTS | _PATTERNS,
    "multiline": _PATTERNS,
}

_MEANT_OPERATORS: Final = {
    **dict.fromkeys(("==", "=", "eq", "is", "equal", "equals_to", "const"), "equals"),
    **dict.fromkeys(("!=", "<>", "ne", "neq", "not_equal", "is_not"), "not_equals"),
    **dict.fromkeys((">", "greater_than", "above", "more_than"), "gt"),
    **dict.fromkeys((">=", "ge", "at_least", "min", "minimum"), "gte"),
    **dict.fromkeys(("<", "less_than", "below"), "lt"),
    **dict.fromkeys(("<=", "le", "at_most", "max", "maximum"), "lte"),
    **dict.fromkeys(("regex", "regexp", "match", "pattern", "matches_regex"), "matches"),
    **dict.fromkeys(("one_of", "is_in", "enum"), "in"),
    **dict.fromkeys(("none_of", "nin"), "not_in"),
    **dict.fromkeys(("includes", "has", "contain", "includes_text"), "contains"),
    **dict.fromkeys(("prefix", "begins_with", "startswith", "startsWith"), "starts_with"),
    **dict.fromkeys(("suffix", "endswith", "endsWith"), "ends_with"),
    **dict.fromkeys(("present", "defined", "exist"), "exists"),
    **dict.fromkeys(("is_empty", "isEmpty", "blank"), "empty"),
    **dict.fromkeys(("len", "size"), "length"),
    **dict.fromkeys(("some", "any_of", "anyItem"), "any_item"),
    **dict.fromkeys(("every", "all_of", "all_items", "every_of", "each_item"), "every_item"),
    **dict.fromkeys(("none", "no_items", "none_item"), "no_item"),
    **dict.fromkeys(("count", "count_item"), "count_items"),
    **dict.fromkeys(("typeof", "is_type", "type_is"), "type"),
}
_MEANT_TYPES: Final = {
    **dict.fromkeys(("", "~", "none", "None", "nil", "NULL", "Null"), "null"),
    **dict.fromkeys(("boolean", "Boolean"), "bool"),
    **dict.fromkeys(("int", "integer", "float", "double", "Number"), "number"),
    **dict.fromkeys(("str", "text", "String"), "string"),
    **dict.fromkeys(("list", "sequence", "tuple", "Array"), "array"),
    **dict.fromkeys(("dict", "map", "mapping", "Object"), "object"),
}


def operator_meant(word: str) -> str:
    """The operator most likely meant by this word; empty if unclear."""
    return _MEANT_OPERATORS.get(word) or nearest(word.lower(), OPERATORS)


def type_meant(word: str) -> str:
    return _MEANT_TYPES.get(word) or nearest(word.lower(), TYPES)
