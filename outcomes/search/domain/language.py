"""Search language: words, and fields with a value, each of which can be negated.

    upstream "SMTP 451" tool:crm_lookup -agent:billing output.status:>=500 args.account:A-2091

All terms must match. `docs/api.md` documents it for users.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Final

MOST_TERMS: Final = 12
LONGEST: Final = 500  # characters
TYPES: Final = (
    "executed",
    "execution_result",
    "artifact",
    "artifact_reference",
    "timeout",
    "failure",
    "denied",
    "open",
)
VERDICTS: Final = ("success", "failure", "unknown")
ANYTHING: Final = "*"


class Op(StrEnum):
    IS = "="
    CONTAINS = "~"
    MORE = ">"
    LEAST = ">="
    LESS = "<"
    MOST = "<="


NUMERIC: Final = frozenset({Op.MORE, Op.LEAST, Op.LESS, Op.MOST})
NAMES: Final = ("tool", "agent", "principal", "session", "env")  # columns that contain names
TEXTS: Final = ("error", "reason")  # matched by words
CHOICES: Final = {"verdict": VERDICTS, "type": TYPES}
VALUES: Final = ("args", "output")  # JSON; a path selects a value in it
NUMBERS: Final = ("took",)  # milliseconds
FIELDS: Final = (*NAMES, *TEXTS, *CHOICES, *VALUES, *NUMBERS)

_FIELD: Final = re.compile(r"([A-Za-z_]+)((?:\.[^\s:\"]+)?):")
_OPERATOR: Final = re.compile(r">=|<=|>|<|=|~")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_BARE: Final = re.compile(r"\S+")
_SPACE: Final = re.compile(r"\s*")


class QueryError(ValueError):
    """Error in a query, with its position, counted from 1."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(f"{message} (at character {place})")
        self.place = place


@dataclass(frozen=True, slots=True)
class Term:
    field: str  # empty: words in any field
    path: str  # within the arguments or the output
    op: Op
    value: str
    negated: bool
    source: str  # as typed

    @property
    def number(self) -> float:
        return float(self.value)

    @property
    def name(self) -> str:
        return f"{self.field}.{self.path}" if self.path else self.field


@dataclass(frozen=True, slots=True)
class Query:
    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def text(self) -> str:
        """Query as in the URL."""
        return " ".join(term.source for term in self.terms)

    @property
    def words(self) -> str:
        """Text of the search input, without the chips."""
        return " ".join(term.source for term in self.terms if not is_chip(term))

    @property
    def chips(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if is_chip(term))

    def without(self, left_out: Term) -> "Query":
        return Query(tuple(term for term in self.terms if term is not left_out))

    def of(self, field: str) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.field == field)


def is_chip(term: Term) -> bool:
    return bool(term.field)


def parse(text: str) -> Query:
    if len(text) > LONGEST:
        raise QueryError(f"A search has at most {LONGEST} characters", LONGEST + 1)
    terms: list[Term] = []
    at = _after_space(text, 0)
    while at < len(text):
        if len(terms) == MOST_TERMS:
            raise QueryError(f"A search has at most {MOST_TERMS} terms", at + 1)
        term, end = _term(text, at)
        terms.append(term)
        at = _after_space(text, end)
    return Query(tuple(terms))


def written(field: str, value: str) -> str:
    """A term as text, quoted if necessary."""
    plain = value and not re.search(r'[\s"]', value) and not _OPERATOR.match(value)
    return f"{field}:{value if plain else quoted(value)}"


def quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _term(text: str, start: int) -> tuple[Term, int]:
    at, negated = start, False
    if text[at] == "-" and at + 1 < len(text) and not text[at + 1].isspace():
        at, negated = at + 1, True
    head = _FIELD.match(text, at)
    if head is None or not _is_field(head):
        value, end = _value(text, at, "Words")
        return Term("", "", Op.CONTAINS, value, negated, text[start:end]), end
    field, path = head[1].lower(), head[2][1:]
    op, at = _operator(text, head.end(), field)
    value, end = _value(text, at, f"`{field}{head[2]}:`")
    term = Term(field, path, op, value, negated, text[start:end])
    _check(term, at + 1)
    return term, end


def _is_field(head: re.Match[str]) -> bool:
    """Whether this is a field. Ids and URLs contain colons too, so other text is a word."""
    field, path = head[1].lower(), head[2]
    return field in VALUES or (field in FIELDS and not path)


def _operator(text: str, at: int, field: str) -> tuple[Op, int]:
    match = _OPERATOR.match(text, at)
    if match is None:
        return (Op.CONTAINS if field in TEXTS else Op.IS), at
    return Op(match[0]), match.end()


def _value(text: str, at: int, of: str) -> tuple[str, int]:
    if text[at : at + 1] == '"':
        match = _QUOTED.match(text, at)
        if match is None:
            raise QueryError("A quote has no end", at + 1)
        value = re.sub(r"\\(.)", r"\1", match[1])
    else:
        match = _BARE.match(text, at)
        value = match[0] if match else ""
    if match is None or not value.strip():
        raise QueryError(f"{of} needs a value", at + 1)
    return value, match.end()


def _check(term: Term, place: int) -> None:
    if term.op in NUMERIC and term.field not in (*VALUES, *NUMBERS):
        raise QueryError(f"`{term.field}:` cannot be compared with `{term.op}`", place)
    if (term.op in NUMERIC or term.field in NUMBERS) and not _is_number(term.value):
        raise QueryError(f"`{term.name}:{term.op}` needs a number, not `{term.value}`", place)
    choices = CHOICES.get(term.field)
    if choices and term.value.lower() not in choices:
        raise QueryError(f"`{term.field}:` is one of {', '.join(choices)}", place)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
