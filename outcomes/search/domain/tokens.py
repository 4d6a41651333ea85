"""Tokens: those stored in the index for a call, and those that a term requires.

A call that lacks a required token does not match. A call that has all may still not match.
"""

from array import array
from collections.abc import Iterable
from decimal import Decimal
from hashlib import blake2b
from typing import Final

from outcomes.search.domain.content import Content, Scalar, written
from outcomes.search.domain.language import ANYTHING, NUMERIC, Op, Term
from outcomes.search.domain.words import indexed_words

MOST_WORDS: Final = 100  # per call
MOST_VALUES: Final = 50
LONGEST_VALUE: Final = 64  # characters of a value that is searchable by equality
LARGEST_EXPONENT: Final = 20
_SIZES: Final = range(-LARGEST_EXPONENT, LARGEST_EXPONENT + 1)

Alternatives = frozenset[int]  # every matching call has at least one of these tokens


def tokens_of(project: int, content: Content) -> frozenset[int]:
    words: dict[str, None] = {}
    for text in content.texts():
        words |= dict.fromkeys(indexed_words(text))
        if len(words) >= MOST_WORDS:
            break
    names = [f"w:{word}" for word in list(words)[:MOST_WORDS]]
    values: dict[str, None] = {}
    for field, leaves in (("output", content.output), ("args", content.arguments)):
        for path, value in leaves[:MOST_VALUES]:
            values |= dict.fromkeys(_value_names(f"{field}.{path}".casefold(), value))
    names += values
    if content.principal:
        names.append(f"principal={content.principal.casefold()}")
    return frozenset(token(project, name) for name in names)


def token(project: int, name: str) -> int:
    key = project.to_bytes(8, "big")
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
    return int.from_bytes(digest, "big", signed=True)


def packed(tokens: Iterable[int]) -> bytes:
    return array("q", sorted(tokens)).tobytes()


def unpacked(stored: bytes) -> frozenset[int]:
    numbers = array("q")
    numbers.frombytes(stored)
    return frozenset(numbers)


def needed(project: int, term: Term) -> list[Alternatives]:
    """Sets of tokens; a matching call has one of each. Empty if the index does not help."""
    names = _needed_names(term)
    return [frozenset(token(project, name) for name in each) for each in names]


def _needed_names(term: Term) -> list[list[str]]:
    if term.negated or term.value == ANYTHING or term.field in ("took", "verdict", "type"):
        return []
    if term.field in ("tool", "agent", "session", "env"):
        return []
    if term.field == "principal":
        return [[f"principal={term.value.casefold()}"]] if term.op is Op.IS else []
    if term.op in NUMERIC:
        path = f"{term.field}.{term.path}".casefold()
        return [[f"{path}#{bucket}" for bucket in buckets(term.op, term.number)]]
    if term.op is Op.IS and term.path and len(term.value) <= LONGEST_VALUE:
        return [[f"{term.field}.{term.path}={term.value}".casefold()]]
    return [[f"w:{word}"] for word in indexed_words(term.value)]


def _value_names(path: str, value: Scalar) -> Iterable[str]:
    text = written(value).casefold()
    if len(text) <= LONGEST_VALUE:
        yield f"{path}={text}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (f"{path}#{bucket}" for bucket in _buckets_of(value))


def _buckets_of(value: float) -> Iterable[str]:
    """Magnitude of a number, alone and with one and two digits. Few buckets cover a range."""
    if value == 0:
        return ["0"]
    sign, exponent, digits = _parts(value)
    return [f"{sign}{exponent}", f"{sign}{exponent}:{digits[0]}", f"{sign}{exponent}:{digits}"]


def buckets(op: Op, bound: float) -> list[str]:
    """Buckets that cover all numbers of the range. They may also contain numbers outside it."""
    upwards = op in (Op.MORE, Op.LEAST)
    if not bound:
        sign = "+" if upwards else "-"
        zero = ["0"] if op in (Op.LEAST, Op.MOST) else []
        return [*zero, *(f"{sign}{size}" for size in _SIZES)]
    sign, exponent, digits = _parts(bound)
    if upwards == (sign == "+"):  # away from zero
        names = [f"{sign}{size}" for size in _SIZES if size > exponent]
        first, second = range(int(digits[0]) + 1, 10), range(int(digits[1]), 10)
    else:
        names = ["0", *(f"{sign}{size}" for size in _SIZES if size < exponent)]
        names += [f"{'+' if sign == '-' else '-'}{size}" for size in _SIZES]
        first, second = range(1, int(digits[0])), range(int(digits[1]) + 1)
    names += [f"{sign}{exponent}:{digit}" for digit in first]
    names += [f"{sign}{exponent}:{digits[0]}{digit}" for digit in second]
    if abs(exponent) == LARGEST_EXPONENT:  # this bucket also contains larger magnitudes
        names.append(f"{sign}{exponent}")
    return names


def _parts(value: float) -> tuple[str, int, str]:
    """Sign, magnitude and first two digits of a number other than zero."""
    number = Decimal(str(value))
    size = max(-LARGEST_EXPONENT, min(LARGEST_EXPONENT, number.adjusted()))
    digits = "".join(map(str, number.as_tuple().digits[:2]))
    return ("-" if number.is_signed() else "+"), size, digits.ljust(2, "0")
