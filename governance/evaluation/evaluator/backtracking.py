"""Regular expressions that can backtrack without end, found by trying.

What a pattern repeats tells which texts could have it match in very many ways. A few such texts of
some forty repeats are tried on the pattern itself: a harmless one is done in less than a
thousandth of a second, a hopeless one would not be done this year and is stopped. So nothing is
called hopeless that was not seen to be.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, partial
from importlib import import_module
from itertools import islice, product
from typing import Any, NamedTuple

from governance.evaluation.evaluator.call_budget import PATIENCE, TooLong

_parser: Any = import_module("re._parser")  # what Python's own compiler reads a pattern with

_TRY = 0.03  # for one text: above a million steps
_LONGEST = 2_000
_MANY = 10
_REPEATS = (40, 27)
_ENDS = ("\0", "\n\0", "", "  ")  # one of them is what no pattern of this kind ends with
_TEXTS = 12
_CHARACTERS = "a0 _-./:!\n\té"
_ROW = 4  # so many repeats one behind the other are hopeless when they take the same texts

Items = Any  # the parser's own lists of (operation, argument)


class Repeat(NamedTuple):
    before: str  # a text that leads there
    body: Items


@lru_cache(maxsize=1_000)
def hopeless_text(pattern: str) -> str:
    """The beginning of a text that this pattern would never be done with, if one is found."""
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
    """Those without an end that is near, each with a text that leads to it."""
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
    """Whether it could match one text in more than one way."""
    return any(
        str(operation) == "BRANCH"
        or (str(operation) in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] != argument[1])
        for operation, argument in _all(body)
    )


def _repeated(body: Items, characters: dict[str, None]) -> list[str]:
    """Single characters that different parts of it take, those that most parts take first."""
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
    """A text that it matches, as far as that can be told without looking around."""
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
    """The characters that the pattern names."""
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
