"""Completions of the editor match the library's schema."""

import json
from importlib import resources
from typing import Any

from edictum.yaml_engine.evaluator import BUILTIN_OPERATOR_NAMES

from governance.contracts.domain import grammar
from governance.texts.dialect import Dialect

SCHEMA = json.loads(
    resources.files("edictum.yaml_engine").joinpath("edictum-v2.schema.json").read_text()
)


def parts(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """All alternatives of a schema, with references resolved."""
    if "$ref" in schema:
        return parts(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "oneOf" in schema:
        return [part for each in schema["oneOf"] for part in parts(each)]
    return [schema]


def at(place: str) -> list[dict[str, Any]]:
    result = parts(SCHEMA)
    for step in place.split("/") if place else []:
        inner = []
        for each in result:
            below = (
                each.get("items") or each.get("additionalProperties")
                if step == "*"
                else each.get("properties", {}).get(step)
            )
            inner += parts(below) if isinstance(below, dict) else []
        result = inner
    return result


def test_completion_keys_match_the_schema():
    for place, words in grammar.KEYS.items():
        known = {key for each in at(place) for key in each.get("properties", {})}
        assert set(words) == known, place


def test_completion_values_match_the_schema():
    for place, words in grammar.VALUES.items():
        known: set[str] = set()
        for each in at(place):
            if each.get("type") == "boolean":
                known |= {"true", "false"}
            known |= {*each.get("enum", ()), *([each["const"]] if "const" in each else ())}
        assert set(words) == known, place


def test_completion_operators_match_the_library():
    assert set(grammar.OPERATORS) == set(BUILTIN_OPERATOR_NAMES)


def test_boolean_operators_offer_their_values():
    result = SCHEMA["$defs"]["Operator"]["properties"]
    few = {name for name, takes in result.items() if takes.get("type") == "boolean"}
    assert few == set(grammar.OPERANDS)


def test_the_old_format_has_its_own_keys_and_values():
    keys, values = grammar.keys_in(Dialect.OLD), grammar.values_in(Dialect.OLD)
    assert "contracts" in keys[""]
    assert "effect" in keys["contracts/*/then"]
    assert "timeout_effect" in keys["contracts/*"]
    assert values["kind"] == ["ContractBundle"]
    assert values["contracts/*/then/effect"] == ["deny", "approve", "warn", "redact"]
    assert values["contracts/*/outside"] == ["deny", "approve"]


def test_the_new_format_uses_the_tables_unchanged():
    assert grammar.keys_in(Dialect.NEW) == {
        place: list(words) for place, words in grammar.KEYS.items()
    }
