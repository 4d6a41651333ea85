"""Conditions of checks in plain English, with the wording that contracts use."""

from typing import Any, Final

from governance.checks.language.operators import TYPES
from governance.checks.language.rules import LABELS
from governance.checks.language.text import KIND, OTHERWISE
from governance.texts.condition_words import (
    OPERATOR_WORDS,
    comparison_in_words,
    parts_in_words,
    shortened,
    value_in_words,
)

_ITEMS: Final = {
    "any_item": ("an item", "has an item with"),
    "every_item": ("every item", "has only items with"),
    "no_item": ("no item", "has no item with"),
}
_OPTIONS: Final = {"ignore_case": "ignoring case", "multiline": "line by line"}
_COMBINED: Final = {"all", "any", "not"}


def condition_in_words(condition: Any) -> str:
    return shortened(parts_in_words(condition, _test))


def _test(selector: str, test: Any) -> str:
    if not isinstance(test, dict):
        return f"`{selector}`"
    tests = [_test_words(selector, *each) for each in test.items() if each[0] not in _OPTIONS]
    options = [words for name, words in _OPTIONS.items() if test.get(name) is True]
    return ", ".join([" and ".join(tests), *options])


def _test_words(selector: str, operator: str, operand: Any) -> str:
    match operator:
        case "exists":
            return f"`{selector}` exists" if operand else f"`{selector}` doesn't exist"
        case "type":
            return f"`{selector}` is of type {operand}"
        case "empty":
            return f"`{selector}` is empty" if operand else f"`{selector}` is not empty"
        case "length":
            return f"the length of `{selector}` {_number(operand)}"
        case "any_item" | "every_item" | "no_item":
            return _item_words(selector, operand, *_ITEMS[operator])
        case "count_items" if isinstance(operand, dict):
            when, number = _item(operand.get("when")), _number(operand.get("is"))
            return f"the number of items of `{selector}` with {when} {number}"
        case _:
            return f"{comparison_in_words(selector, operator)} {value_in_words(operand)}"


def _item_words(selector: str, operand: Any, item: str, has: str) -> str:
    if isinstance(operand, dict) and not _is_condition(operand):
        return _test("item", operand).replace("`item`", f"{item} of `{selector}`", 1)
    return f"`{selector}` {has} {_item(operand)}"


def _item(operand: Any) -> str:
    """Operators on the item itself, or a condition with selectors that begin with `item`."""
    if not isinstance(operand, dict):
        return value_in_words(operand)
    if not _is_condition(operand):
        return _test("item", operand)
    return parts_in_words(operand, _test, inside=True)


def _is_condition(operand: dict[str, Any]) -> bool:
    return any(key in _COMBINED or not key.isidentifier() for key in operand) or any(
        isinstance(value, dict) and key in ("item", "result", "tool", "elapsed_ms")
        for key, value in operand.items()
    )


def _number(comparison: Any) -> str:
    compared = comparison if isinstance(comparison, dict) else {"equals": comparison}
    return " and ".join(
        f"{OPERATOR_WORDS.get(operator, operator)} {value_in_words(value)}"
        for operator, value in compared.items()
    )


CHECK_WORDS = frozenset(["null", "true", "false", KIND, *TYPES, *OTHERWISE, *LABELS])
