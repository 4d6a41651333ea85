"""Selectors: paths from a result to the value that a condition reads."""

import json
import re
from dataclasses import dataclass
from typing import Final, Never

from governance.core.compiled_check import Alternative, Base, Selector, Step
from governance.core.texts import is_storable
from governance.texts.lint_finding import did_you_mean, nearest

BASES: Final[tuple[Base, ...]] = ("result", "tool", "elapsed_ms")
ITEM: Final[Base] = "item"
MOST_DECODED: Final = 2
FARTHEST: Final = 999_999_999
NAME: Final = r"[A-Za-z_$@][A-Za-z0-9_$@-]*"  # any other key needs quotes

_BASE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_KEY = re.compile(rf"\.({NAME})")
_QUOTED = re.compile(r'\.("(?:[^"\\]|\\.)*")')
_INDEX = re.compile(r"\[(-?[0-9]+)\]")
_PIPE = re.compile(r" *\| *(json|text)(?![A-Za-z0-9_-])")
_OR = re.compile(r" *\?\? *")

_ANY_KEY = re.compile(r"\.([^\s.\[\]|?\"{}*]+)")

_ESCAPES: Final = r"An unknown escape in this key: known are \" \\ \/ \b \f \n \r \t and \u00e9."

_MEANT: Final = {
    "output": "result",
    "response": "result",
    "tool_name": "tool",
    "name": "tool",
    "duration_ms": "elapsed_ms",
    "duration": "elapsed_ms",
    "elapsed": "elapsed_ms",
}


class SelectorRefused(ValueError):
    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.message = message
        self.index = index  # of the first invalid character


def read_selector(text: str, *, in_item: bool = False) -> Selector:
    selector, end = selector_at(text, 0, in_item=in_item)
    if end < len(text):
        refuse_step(text, end)
    return selector


def selector_at(text: str, begin: int, *, in_item: bool = False) -> tuple[Selector, int]:
    """The selector at this index, as used inside the braces of a reason, and the index after it."""
    reading = _Reading(text, begin, in_item)
    selector = [reading.alternative()]
    while reading.take(_OR):
        selector.append(reading.alternative())
    return selector, reading.at


@dataclass(slots=True)
class _Reading:
    text: str
    at: int
    in_item: bool

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def alternative(self) -> Alternative:
        begin = self.at
        base = self._base()
        steps: list[Step] = []
        while step := self._step(steps, begin):
            if base in ("tool", "elapsed_ms"):
                raise SelectorRefused(f"`{base}` has no parts: nothing can follow it.", begin)
            steps.append(step)
        return {"base": base, "steps": steps}

    def _base(self) -> Base:
        begin = self.at
        match = self.take(_BASE)
        known = (*BASES, ITEM) if self.in_item else BASES
        for base in known:
            if match and match[0] == base:
                return base
        if not match:
            raise SelectorRefused(f"A selector begins with {_listed(known)}.", begin)
        if match[0] == ITEM:
            raise SelectorRefused(
                "`item` exists only inside any_item, every_item, no_item and count_items.", begin
            )
        word = _MEANT.get(match[0]) or nearest(match[0], known)
        raise SelectorRefused(
            f"A selector begins with {_listed(known)}, not with `{match[0]}`." + did_you_mean(word),
            begin,
        )

    def _step(self, before: list[Step], begin: int) -> Step | None:
        at = self.at
        if before and before[-1] == ["text"] and self.text[at : at + 1] in (".", "["):
            raise SelectorRefused("Nothing can follow `|text`: a text has no parts.", at)
        if match := self.take(_KEY):
            return ["key", match[1]]
        if match := self.take(_QUOTED):
            return ["key", _unquoted(match[1], at + 1)]
        if match := self.take(_INDEX):
            return ["index", _index(match[1], at)]
        if self.text.startswith("[*]", at):
            self.at += 3
            return ["items"]
        if self.text.startswith(".*", at):
            self.at += 2
            return ["values"]
        if match := self.take(_PIPE):
            return self._piped(match[1], before, at)
        if self.text[at : at + 1] in (".", "[", "|"):
            refuse_step(self.text, at)
        return None

    def _piped(self, way: str, before: list[Step], at: int) -> Step:
        if before and before[-1] == ["text"]:
            raise SelectorRefused("Nothing can follow `|text`: a text has no parts.", at)
        if way == "json" and before.count(["json"]) == MOST_DECODED:
            raise SelectorRefused("A selector may use `|json` at most twice.", at)
        return [way]


def refuse_step(text: str, at: int) -> Never:
    rest = text[at:]
    if match := re.match(r"\[\s*(?:\"([^\"]*)\"|'([^']*)')", rest):
        word = match[1] or match[2] or ""
        raise SelectorRefused(f"Write any key as .{json.dumps(word)}", at)
    if match := re.match(r"\.([0-9]+)(?=[.\[| ]|$)", rest):
        raise SelectorRefused(
            f'An item of a list is written [{match[1]}], a key of this name ."{match[1]}".', at
        )
    if rest.startswith('."'):
        raise SelectorRefused("This quote is never closed.", at)
    dot = text.rfind(".", 0, at + 1)
    if dot >= 0 and (match := _ANY_KEY.match(text, dot)) and match.end() > at:
        key = json.dumps(match[1][:60], ensure_ascii=False)
        raise SelectorRefused(f"A key with these characters needs quotes: .{key}", dot)
    if rest.startswith("."):
        raise SelectorRefused("Enter a key after the dot.", at)
    if rest.startswith("["):
        raise SelectorRefused("Write a whole number in brackets, or [*] for all items.", at)
    if rest.startswith("|"):
        raise SelectorRefused("After | comes json or text.", at)
    if rest.startswith("?"):
        raise SelectorRefused("An alternative is written a ?? b.", at)
    raise SelectorRefused(
        f"`{rest[:20]}` is not a step of a selector. Steps are .key, [0], [*], .* and |json.", at
    )


def _unquoted(written: str, at: int) -> str:
    try:
        key = json.loads(written, strict=False)
    except ValueError as error:
        raise SelectorRefused(_ESCAPES, at) from error
    if not isinstance(key, str) or not is_storable(key):
        raise SelectorRefused("NUL characters and lone surrogates cannot be stored.", at)
    return key


def _index(written: str, at: int) -> int:
    if len(written) > len(str(FARTHEST)) or abs(int(written)) > FARTHEST:
        raise SelectorRefused(f"The index is too large. The highest is {FARTHEST:,}.", at)
    return int(written)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words[:-1]) + f" or `{words[-1]}`"
