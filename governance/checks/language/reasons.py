"""Reasons: texts with placeholders in braces for values of the result."""

from typing import Final

from governance.checks.language.problems import Problems
from governance.checks.language.selectors import SelectorRefused, refuse_step, selector_at
from governance.checks.language.tree import Word
from governance.core.compiled_check import Part

LONGEST: Final = 1_000
VALUE: Final = "{value}"


def read_reason(word: Word, problems: Problems) -> list[Part]:
    """Parts of a reason in order; empty after reporting a problem."""
    text = word.text
    if len(text) > LONGEST:
        problems.at(
            word, f"The reason has {len(text):,} characters; at most {LONGEST:,} are allowed."
        )
        return []
    try:
        return _parts(text)
    except SelectorRefused as refused:
        problems.inside(word, refused.index, refused.message)
        return []


def _parts(text: str) -> list[Part]:
    parts: list[Part] = []
    plain = ""
    at = 0
    while at < len(text):
        if text[at : at + 2] in ("{{", "}}"):  # doubled braces are literal
            plain += text[at]
            at += 2
        elif text[at] == "{":
            if plain:
                parts.append(plain)
            plain = ""
            part, at = _part_at(text, at)
            parts.append(part)
        elif text[at] == "}":
            raise SelectorRefused("This } has no opening {. Write }} for a literal brace.", at)
        else:
            plain += text[at]
            at += 1
    return [*parts, plain] if plain else parts


def _part_at(text: str, at: int) -> tuple[Part, int]:
    if text.startswith(VALUE, at):
        return {"value": True}, at + len(VALUE)
    if text.startswith("{value", at) and text[at + 6 : at + 7] in (".", "[", "|", " "):
        raise SelectorRefused("Nothing may follow `value`. Write {value}, or a selector.", at)
    try:
        selector, end = selector_at(text, at + 1)
    except SelectorRefused as refused:
        if refused.index == at + 1:  # not even the start of a selector
            raise SelectorRefused(
                "Write `value` or a selector between braces, and {{ for a literal brace.", at
            ) from refused
        raise
    close = text.find("}", end)
    if close < 0:
        raise SelectorRefused("This brace is never closed.", at)
    if close > end:
        refuse_step(text[:close], end)
    return {"select": selector}, end + 1
