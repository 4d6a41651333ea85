"""Generated contracts and calls cover every key, value and operator of the library's schema, and
each decision."""

import json
from collections.abc import Iterator
from importlib.resources import files
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.contracts.domain.grammar import SELECTORS
from governance.evaluation.engine import Evaluation, ToolCall
from tests.governance.generated import CALLS, DOCUMENTS, text_of

pytestmark = pytest.mark.slow  # all use the same samples, which take seconds to generate

SCHEMA = json.loads((files("edictum.yaml_engine") / "edictum-v2.schema.json").read_text())
Schema = dict[str, Any]
Sample = tuple[dict[str, Any], list[ToolCall]]
MANY = 1_000


def resolved(schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema


def is_condition(schema: Schema) -> bool:
    return bool(schema == SCHEMA["$defs"]["Expression"])


def words_in(schema: Schema, at: str = "") -> Iterator[str]:
    """Every key and every enumerated value that a document can have."""
    schema = resolved(schema)
    if is_condition(schema):
        yield from (f"when.{name}" for name in ("all", "any", "not"))
        yield from (f"when.{name}" for name in SCHEMA["$defs"]["Operator"]["properties"])
        return
    if schema == SCHEMA["$defs"]["Rule"]:
        for branch in schema["oneOf"]:
            kind = resolved(branch)["properties"]["type"]["const"]
            yield from words_in(branch, f"{at}<{kind}>")
        return
    yield from (f"{at}={word}" for word in schema.get("enum", ()))
    if schema.get("type") == "array":
        yield from words_in(schema.get("items", {}), at)
    for name, inner in schema.get("properties", {}).items():
        yield f"{at}.{name}"
        yield from words_in(inner, f"{at}.{name}")
    if isinstance(inner := schema.get("additionalProperties"), dict):
        yield from words_in(inner, f"{at}.*")


def words_of(value: Any, schema: Schema, at: str = "") -> Iterator[str]:
    """Keys and values of this document."""
    schema = resolved(schema)
    if is_condition(schema):
        yield from condition_words(value)
    elif schema == SCHEMA["$defs"]["Rule"]:
        for branch in schema["oneOf"]:
            if resolved(branch)["properties"]["type"]["const"] == value["type"]:
                yield from words_of(value, branch, f"{at}<{value['type']}>")
    elif isinstance(value, list):
        for item in value:
            yield from words_of(item, schema.get("items", {}), at)
    elif isinstance(value, dict):
        for name, item in value.items():
            known = schema.get("properties", {})
            if name in known:
                yield f"{at}.{name}"
                yield from words_of(item, known[name], f"{at}.{name}")
            elif isinstance(more := schema.get("additionalProperties"), dict):
                yield from words_of(item, more, f"{at}.*")
    elif value in schema.get("enum", ()):
        yield f"{at}={value}"


def condition_words(condition: dict[str, Any]) -> Iterator[str]:
    ((name, inner),) = condition.items()
    if name in ("all", "any", "not"):
        yield f"when.{name}"
        for part in inner if isinstance(inner, list) else [inner]:
            yield from condition_words(part)
    else:
        yield f"selector {name}"
        yield from (f"when.{operator}" for operator in inner)


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    items: list[Sample] = []

    @settings(
        max_examples=MANY,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.tuples(DOCUMENTS, st.lists(CALLS, min_size=6, max_size=6)))
    def collect(sample: Sample) -> None:
        items.append(sample)

    collect()
    return items


def test_every_key_value_and_operator_of_the_librarys_schema_is_generated(samples):
    promised = set(words_in(SCHEMA))
    assert {"<pre>.then.action=ask", "when.matches_any"} <= {
        each.removeprefix(".rules") for each in promised
    }
    met = {word for document, _ in samples for word in words_of(document, SCHEMA)}
    assert promised - met == set()


def test_every_selector_is_generated(samples):
    met = {word for document, _ in samples for word in words_of(document, SCHEMA)}
    for selector in SELECTORS:
        stem = selector.rstrip(".")
        assert any(word.startswith(f"selector {stem}") for word in met), selector


def test_generated_calls_both_have_and_lack_every_field(samples):
    calls = [call for _, some in samples for call in some]
    assert {call.output is None for call in calls} == {True, False}
    principals = [call.principal for call in calls]
    assert None in principals
    parts = {part for each in principals if each for part in each}
    assert parts == {"role", "user_id", "service_id", "org_id", "ticket_ref", "claims"}
    kinds = {type(value) for call in calls for value in call.tool_args.values()}
    assert kinds >= {str, int, float, bool, type(None), list, dict}


def test_generated_calls_cover_every_decision_and_rule_result(engine, samples):
    kinds, ways = ("pre", "post", "sandbox"), ("passed", "failed", "observed")
    missing = {*product(kinds, ways), ("pre", "could not be evaluated")}
    missing |= {("a call", action) for action in ("allow", "block", "ask", "warn", "redact")}
    for document, calls in samples:
        for result in engine.evaluate(text_of(document), calls):
            if isinstance(result, Evaluation):
                missing -= set(ways_of(result))
        if not missing:
            break
    assert missing == set()


def ways_of(result: Evaluation) -> Iterator[tuple[str, str]]:
    yield "a call", result.action
    for rule in result.rules:
        yield rule.type, "passed" if rule.passed else "observed" if rule.observed else "failed"
        if rule.policy_error:
            yield rule.type, "could not be evaluated"
