"""Reasons: text with selectors in braces."""

import pytest

from governance.core.compiled_check import Part
from tests.governance.checks.language.written import only_problem, read, with_condition


def with_reason(reason: str) -> str:
    return with_condition("{result: {equals: 1}}") + f"    reason: {reason}\n"


def parts_of(reason: str) -> list[Part]:
    checked = read(with_reason(reason))
    assert checked.problems == ()
    assert checked.compiled
    return checked.compiled["rules"][0]["reason"]


MESSAGE = {"select": [{"base": "result", "steps": [["key", "message"]]}]}
VALID = {
    "''": [],
    "plain": ["plain"],
    "'{value}'": [{"value": True}],
    "'HTTP {value}: {result.message}.'": ["HTTP ", {"value": True}, ": ", MESSAGE, "."],
    "'{{value}} {{'": ["{value} {"],
    "'{{{value}}}'": ["{", {"value": True}, "}"],
    "'{result.message ?? tool}'": [{"select": [*MESSAGE["select"], {"base": "tool", "steps": []}]}],
    """'{result."a}b"}'""": [{"select": [{"base": "result", "steps": [["key", "a}b"]]}]}],
}


@pytest.mark.parametrize(("reason", "parts"), VALID.items(), ids=VALID)
def test_a_reason_is_parsed_into_parts(reason, parts):
    assert parts_of(reason) == parts


WRONG = {  # the reason starts at line 10, column 13
    "'{'": ("Write `value` or a selector between braces", 14),
    "'a {}'": ("Write `value` or a selector between braces", 16),
    "'{message}'": ("Write `value` or a selector between braces", 14),
    "'{item.a}'": ("Write `value` or a selector between braces", 14),
    "'a } b'": ("This } has no opening {", 16),
    "'{result.a'": ("never closed", 14),
    "'{result.a b}'": ("` b` is not a step", 23),
    "'{value.a}'": ("Nothing may follow `value`", 14),
    "'{result.größe}'": ('."größe"', 21),
    "'{result[x]}'": ("whole number", 21),
    "5": ("Put this text in quotes", 13),
    "[a]": ("Enter a text", 13),
    "a" * 1_001: ("at most 1,000 are allowed", 13),
}


@pytest.mark.parametrize(("reason", "message"), WRONG.items(), ids=[key[:20] for key in WRONG])
def test_an_invalid_reason_is_reported_at_its_column(reason, message):
    words, column = message
    problem = only_problem(read(with_reason(reason)))
    assert words in problem.message
    assert (problem.line, problem.column) == (10, column)
