"""Conditions of contract rules: a canonical form to compare them by, and descriptions."""

import json
from collections.abc import Callable
from typing import Any

TestInWords = Callable[[str, Any], str]  # from a selector and its operators

_LONGEST = 240
OPERATOR_WORDS = {
    "equals": "is",
    "not_equals": "is not",
    "in": "is one of",
    "not_in": "is none of",
    "contains": "contains",
    "contains_any": "contains one of",
    "starts_with": "starts with",
    "ends_with": "ends with",
    "matches": "matches",
    "matches_any": "matches one of",
    "gt": ">",
    "gte": "≥",
    "lt": "<",
    "lte": "≤",
}
SETS = ("in", "not_in", "contains_any", "matches_any")  # operators with unordered operands


def canonical(value: Any) -> str:
    """Equal for values that mean the same: 5 and 5.0 do, true and 1 do not."""
    return json.dumps(_exact(value), sort_keys=True, ensure_ascii=False)


def same_condition(condition: Any, *, in_order: bool = False) -> str:
    """Equal for conditions that mean the same, whatever the order of their parts.

    With `in_order`, order counts. It matters if a value has the wrong type: agents stop at the
    first part that decides.
    """
    match condition:
        case {"all": list() as parts} | {"any": list() as parts}:
            word = "all" if "all" in condition else "any"
            forms = list(dict.fromkeys(same_condition(part, in_order=in_order) for part in parts))
            written = ",".join(forms if in_order else sorted(forms))
            return forms[0] if len(forms) == 1 else f"{word}[{written}]"
        case {"not": part}:
            return f"not[{same_condition(part, in_order=in_order)}]"
        case dict():
            return canonical({selector: _leaf(test) for selector, test in condition.items()})
        case _:
            return canonical(condition)


def condition_in_words(condition: Any) -> str:
    return shortened(parts_in_words(condition, _test))


def parts_in_words(condition: Any, test: TestInWords, *, inside: bool = False) -> str:
    """Description of a condition, its parts joined by `and` or `or`."""
    match condition:
        case {"all": list() as parts} | {"any": list() as parts}:
            word = " and " if "all" in condition else " or "
            joined = word.join(parts_in_words(part, test, inside=True) for part in parts)
            return f"({joined})" if inside and len(parts) > 1 else joined
        case {"not": part}:
            return f"not {parts_in_words(part, test, inside=True)}"
        case dict() if condition:
            return " and ".join(test(*each) for each in condition.items())
        case _:
            return "nothing"


def comparison_in_words(selector: str, operator: str) -> str:
    """Comparison without its value, such as "`args.amount` >", for a sentence."""
    return f"`{selector}` {OPERATOR_WORDS.get(operator, operator)}"


def value_in_words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value_in_words(item) for item in value)
    if isinstance(value, str):
        return f'"{value}"'  # unescaped: a regular expression as written
    return json.dumps(_exact(value), ensure_ascii=False)


def shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    cut = text[: _LONGEST - 1] + "…"
    return cut + "`" if cut.count("`") % 2 else cut  # keeps backticks balanced


def _test(selector: str, test: Any) -> str:
    if not isinstance(test, dict):
        return f"`{selector}`"
    return " and ".join(_compared(selector, *each) for each in test.items())


def _compared(selector: str, operator: str, operand: Any) -> str:
    if operator == "exists":
        return f"`{selector}` exists" if operand else f"`{selector}` doesn't exist"
    return f"{comparison_in_words(selector, operator)} {value_in_words(operand)}"


def _leaf(test: Any) -> Any:
    if not isinstance(test, dict):
        return test
    return {
        operator: sorted({canonical(each) for each in operand})
        if operator in SETS and isinstance(operand, list)
        else operand
        for operator, operand in test.items()
    }


def _exact(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _exact(item) for key, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value
