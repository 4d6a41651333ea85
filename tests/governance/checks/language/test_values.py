"""YAML scalars of a check as JSON: unambiguous in every YAML version, or rejected."""

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given, settings

from governance.checks.language.problems import Problems
from governance.checks.language.tree import tree_of
from governance.checks.language.values import value_of
from tests.governance.checks.language.strategies import as_yaml, results
from tests.governance.checks.language.written import only_problem, read

SIGNS = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def meant(text: str) -> Any:
    root = tree_of(text)
    assert root
    problems = Problems()
    value = value_of(root, problems)
    assert problems.listed == []
    return value


def same(left: Any, right: Any) -> bool:
    """Equality that distinguishes types, so that true is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


WORDS: dict[str, Any] = {
    "null": None,
    "~": None,
    "true": True,
    "False": False,
    "5": 5,
    "-5": -5,
    "+5": 5,
    "5.0": 5,
    "-0.0": 0,
    "0": 0,
    "0.5": 0.5,
    ".5": 0.5,
    "5.": 5,
    "1e3": 1000,
    "1E-07": 1e-07,
    "0x1F": 31,
    "9007199254740992": 2**53,
    "9007199254740993": 2**53,
    "-9007199254740995": -9007199254740996.0,
    "1000000000000000000000000000001": 1e30,
    "text": "text",
    '"5"': "5",
    "'true'": "true",
    '""': "",
    "2024-01-01": "2024-01-01",
    "2024-01-01T10:00:00Z": "2024-01-01T10:00:00Z",
    "1.2.3": "1.2.3",
    "10.0.0.1": "10.0.0.1",
    "y": "y",
    "nothing": "nothing",
    "=": "=",
    "[]": [],
    "{}": {},
    "[1, a, {b: c}]": [1, "a", {"b": "c"}],
    "{on: 1, 5: 2, null: 3, true: 4}": {"on": 1, "5": 2, "null": 3, "true": 4},
    "|\n  a\n  b\n": "a\nb\n",
}


@pytest.mark.parametrize(("text", "value"), WORDS.items(), ids=WORDS)
def test_each_yaml_scalar_has_one_value(text, value):
    assert same(meant(text), value)


AMBIGUOUS = {
    "no": "write false",
    "Yes": "write true",
    "on": "write true",
    "OFF": "write false",
    "012": "put it in quotes",
    "-07": "put it in quotes",
    "0o14": "put it in quotes",
    "0b11": "put it in quotes",
    "1_000": "put it in quotes",
    "1_000.5": "put it in quotes",
    "12:30": "put it in quotes",
    "12:30:45": "put it in quotes",
    "-0x1F": "put it in quotes",
    ".inf": "not a number in JSON",
    "-.Inf": "not a number in JSON",
    ".nan": "not a number in JSON",
    "1e999": "too large",
    "9" * 400: "too large",
    "0x" + "f" * 300: "too large",
}


@pytest.mark.parametrize(("word", "message"), AMBIGUOUS.items(), ids=[key[:9] for key in AMBIGUOUS])
def test_ambiguous_yaml_scalars_are_rejected(word, message):
    text = f"examples:\n  - verdict: success\n    result: {{a: [1, {word}]}}\n"
    problem = only_problem(read(text))
    assert message in problem.message
    assert (problem.line, problem.column) == (7, 21)
    assert problem.path == "examples[0].result.a[1]"


@settings(deadline=None)
@given(results)
def test_json_values_round_trip(result):
    written = json.dumps(result, ensure_ascii=False)
    written = SIGNS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", written)
    assert same(meant(written), normal(result))
    assert same(meant(as_yaml(result)), normal(result))


def normal(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int() | float():
            double = float(value)
            assert math.isfinite(double)
            return int(double) if double.is_integer() and abs(double) <= 2**53 else double
        case list():
            return [normal(item) for item in value]
        case dict():
            return {key: normal(item) for key, item in value.items()}
        case _:
            return value
