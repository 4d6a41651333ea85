"""Finds regular expressions with unbounded backtracking, by trying them.

The repeats in a pattern suggest texts that it could match in very many ways. A few such texts of
about forty repetitions are matched with the pattern itself: a harmless one finishes in under a
millisecond, a hopeless one wouldn't finish within a year and is stopped. So a pattern is only
reported after a trial has shown it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from importlib import import_module
from itertools import islice, product
from typing import Any, NamedTuple

from governance.evaluation.evaluator.call_budget import PATIENCE, TooLong

_parser: Any = import_module("re._parser")  # Python's own pattern parser

_TRY = 0.03  # CPU seconds per text: over a million steps
_LONGEST = 2_000
_MANY = 10
_REPEATS = (40, 27)
_ENDS = ("\0", "\n\0", "", "  ")  # at least one of them is no valid end for a pattern of this kind
_TEXTS = 12
_CHARACTERS = "a0 _-./:!\n\té"
_ROW = 4  # this many consecutive repeats are hopeless if they match the same texts

Items = Any  # the parser's own lists of (operation, argument)


class Repeat(NamedTuple):
    before: str  # text that reaches the repeat
    body: Items


@lru_cache(maxsize=1_000)
def hopeless_text(pattern: str) -> str:
    """Start of a text on which this pattern would never finish, or empty if none is found."""
    if len(pattern) > _LONGEST:
        return ""
    try:
        compiled, parsed = re.compile(pattern), _parser.parse(pattern)
        for before, repeated, end in islice(_texts(parsed), 1_000):
            if any(_is_hopeless(compiled, before + repeated * n + end) for n in _REPEATS):
                return before + repeated * 8
    except (RecursionError, re.error):
        return ""
    return ""


def _is_hopeless(compiled: re.Pattern[str], text: str) -> bool:
    try:
        with PATIENCE.of(_TRY):
            compiled.search(text)
    except TooLong:
        return True
    return False


def _texts(parsed: Items) -> Iterator[tuple[str, str, str]]:
    repeats = list(_repeats(parsed, ""))
    characters = dict.fromkeys(_written_in(parsed) + _CHARACTERS)
    for repeat in repeats:
        if _is_ambiguous(repeat.body):
            for text, end in product(_repeated(repeat.body, characters), _ENDS):
                yield repeat.before, text, end
    if len(repeats) >= _ROW:
        for text, end in product(_repeated(parsed, characters), _ENDS):
            yield repeats[0].before, text, end


def _repeats(items: Items, before: str) -> Iterator[Repeat]:
    """Repeats with a high upper bound or none, each with a text that reaches it."""
    for operation, argument in items:
        for body in _inside(operation, argument):
            yield from _repeats(body, before)
        if "REPEAT" in str(operation) and argument[1] >= _MANY:
            yield Repeat(before, argument[2])
        before += _example([(operation, argument)])


def _inside(operation: Any, argument: Any) -> list[Items]:
    match str(operation):
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [argument[2]]
        case "SUBPATTERN":
            return [argument[3]]
        case "BRANCH":
            return list(argument[1])
        case "ASSERT" | "ASSERT_NOT":
            return [argument[1]]
        case "ATOMIC_GROUP":
            return [argument]
        case "GROUPREF_EXISTS":
            return [body for body in argument[1:] if body]
        case _:
            return []


def _all(items: Items) -> Iterator[tuple[Any, Any]]:
    for operation, argument in items:
        yield operation, argument
        for body in _inside(operation, argument):
            yield from _all(body)


def _is_ambiguous(body: Items) -> bool:
    """Whether the body could match one text in more than one way."""
    return any(
        str(operation) == "BRANCH"
        or (str(operation) in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] != argument[1])
        for operation, argument in _all(body)
    )


def _repeated(body: Items, characters: dict[str, None]) -> list[str]:
    """Texts to repeat: characters that different parts match, the most widely matched first."""
    leaves = [leaf for leaf in _all(body) if str(leaf[0]) in _LEAVES]
    kinds: dict[tuple[bool, ...], str] = {}
    for character in characters:
        kinds.setdefault(tuple(_takes(leaf, character) for leaf in leaves), character)
    ranked = sorted(kinds.items(), key=lambda kind: -sum(kind[0]))
    singles = [character for reading, character in ranked if any(reading)]
    examples = [_example(each) for each in (body, *_branches(body))]
    texts = dict.fromkeys([*singles[: _TEXTS - 4], *(text for text in examples if text)])
    return list(islice(texts, _TEXTS))


def _branches(body: Items) -> Iterator[Items]:
    for operation, argument in _all(body):
        if str(operation) == "BRANCH":
            yield from argument[1]


def _example(items: Items) -> str:
    """A text that the items should match, not taking lookarounds into account."""
    return "".join(_example_of(operation, argument) for operation, argument in items)


def _example_of(operation: Any, argument: Any) -> str:
    match str(operation):
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            times: int = min(max(argument[0], 1), _MANY)
            return _example(argument[2]) * times
        case "BRANCH":
            return _example(argument[1][0])
        case "SUBPATTERN":
            return _example(argument[3])
        case "ATOMIC_GROUP":
            return _example(argument)
        case name if name in _LEAVES:
            leaf = (operation, argument)
            written = _CHARACTERS + _written_in([leaf])
            return next(filter(partial(_takes, leaf), written), "")
        case _:
            return ""


_LEAVES = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def _takes(leaf: tuple[Any, Any], character: str) -> bool:
    operation, argument = str(leaf[0]), leaf[1]
    match operation:
        case "LITERAL":
            return chr(argument).lower() == character.lower()
        case "NOT_LITERAL":
            return chr(argument) != character
        case "ANY":
            return character != "\n"
        case "IN":
            negated = str(argument[0][0]) == "NEGATE"
            return any(_is_in(item, character) for item in argument) != negated
        case "RANGE":
            return bool(argument[0] <= ord(character) <= argument[1])
        case _:
            return False


def _is_in(item: tuple[Any, Any], character: str) -> bool:
    if str(item[0]) != "CATEGORY":
        return _takes(item, character)
    return re.match(_CATEGORIES[str(item[1])], character) is not None


def _written_in(items: Items) -> str:
    """Characters that the pattern names explicitly."""
    named: list[int] = []
    for operation, argument in _all(items):
        match str(operation):
            case "LITERAL" | "NOT_LITERAL":
                named.append(argument)
            case "IN":
                for kind, value in argument:
                    named += [value] if str(kind) == "LITERAL" else []
                    named += value if str(kind) == "RANGE" else []
            case _:
                pass
    return "".join(map(chr, named[:40]))
