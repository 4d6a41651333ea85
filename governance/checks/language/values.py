"""Values of scalars, read the same way by every YAML parser, or rejected.

Words that YAML 1.1 and 1.2 read differently (`no`, `012`, `12:30`) are rejected: agents and editors
in other languages load the same check, and it must mean the same there.
"""

import math
import re
from typing import Final

from governance.checks.language.problems import Problems
from governance.checks.language.tree import Keys, Listing, Node, Word
from governance.core.json_value import Json

LARGEST_EXACT: Final = 2**53

_WORDS: Final[dict[str, Json]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|nan)", re.IGNORECASE)
_TRUTH_TO_SOME = re.compile(r"(?:yes|no|on|off)", re.IGNORECASE)
_NUMBER_TO_SOME = re.compile(
    r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # 12:30 is a base-60 number in YAML 1.1
    r"|[-+]?[0-9.]*[0-9]_[0-9._]*|[-+]?0[0-9]+(?:\.[0-9]*)?|[-+]?0[bo][0-7_]+|[-+]0x[0-9a-fA-F_]+"
)


def value_of(node: Node, problems: Problems) -> Json:
    match node:
        case Word():
            return _meant(node, problems)
        case Listing(items=items):
            return [value_of(item, problems) for item in items]
        case Keys():
            return {key.text: value_of(value, problems) for key, value in node}


def text_of(node: Node, problems: Problems) -> str | None:
    """The string, or None after reporting a problem."""
    if isinstance(node, Word) and node.quoted:
        return node.text
    before = len(problems.listed)
    value = value_of(node, problems)
    if isinstance(value, str):
        return value
    if len(problems.listed) == before and not problems.full:
        fix = f'"{node.text}"' if isinstance(node, Word) and node.text else ""
        problems.at(node, "Put this text in quotes." if fix else _TEXT, fix=fix)
    return None


def number_of(node: Node, problems: Problems) -> int | float | None:
    """The number, or None after reporting a problem."""
    before = len(problems.listed)
    value = value_of(node, problems)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if len(problems.listed) == before and not problems.full:
        fix = ""
        if isinstance(node, Word) and node.quoted and _NUMBER.fullmatch(node.text):
            fix = node.text
        problems.at(node, "Enter a number" + (" without quotes." if fix else "."), fix=fix)
    return None


def normal(number: int | float) -> int | float:
    """Canonical form: 5.0 becomes 5, and integers beyond 2**53 are rounded to doubles."""
    if abs(number) > LARGEST_EXACT:
        number = float(number)
    if isinstance(number, float) and number.is_integer() and abs(number) <= LARGEST_EXACT:
        return int(number)
    return number


_TEXT = "Enter a text."


def _meant(word: Word, problems: Problems) -> Json:
    text = word.text
    if word.quoted:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text):
        return _number(
            float(text) if len(text) > 15 or not _is_integer(text) else int(text), word, problems
        )
    if _HEXADECIMAL.fullmatch(text):
        return _number(int(text, 16) if len(text) < 250 else math.inf, word, problems)
    if _NO_NUMBER.fullmatch(text):
        problems.at(word, f"`{text}` is not a number in JSON.")
    elif _TRUTH_TO_SOME.fullmatch(text):
        truth = "true" if text.lower() in ("yes", "on") else "false"
        problems.at(
            word,
            f"`{text}` is {truth} to some readers of YAML and a text to others: "
            f'write {truth} or "{text}".',
        )
    elif _NUMBER_TO_SOME.fullmatch(text):
        problems.at(
            word,
            f"`{_short(text)}` is read as one number, as another or as a text, depending on who "
            "reads it: put it in quotes, or write the number plainly.",
        )
    return text


def _is_integer(text: str) -> bool:
    return text.lstrip("+-").isdecimal()


def _number(number: int | float, word: Word, problems: Problems) -> int | float:
    if math.isinf(number):
        problems.at(word, f"`{_short(word.text)}` is too large: numbers end at 1.8e308.")
        return 0
    return normal(number)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
