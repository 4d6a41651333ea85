"""The words that are offered are those that the library takes."""

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
    """A schema as what it may be: references followed, alternatives apart."""
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


def test_the_keys_of_each_place_are_those_of_the_schema():
    for place, words in grammar.KEYS.items():
        known = {key for each in at(place) for key in each.get("properties", {})}
        assert set(words) == known, place


def test_the_values_of_each_place_are_those_of_the_schema():
    for place, words in grammar.VALUES.items():
        known: set[str] = set()
        for each in at(place):
            if each.get("type") == "boolean":
                known |= {"true", "false"}
            known |= {*each.get("enum", ()), *([each["const"]] if "const" in each else ())}
        assert set(words) == known, place


def test_the_operators_are_those_of_the_library():
    assert set(grammar.OPERATORS) == set(BUILTIN_OPERATOR_NAMES)


def test_an_operator_that_takes_only_so_many_values_offers_them():
    result = SCHEMA["$defs"]["Operator"]["properties"]
    few = {name for name, takes in result.items() if takes.get("type") == "boolean"}
    assert few == set(grammar.OPERANDS)


def test_the_old_dialect_has_its_own_words_at_its_own_places():
    keys, values = grammar.keys_in(Dialect.OLD), grammar.values_in(Dialect.OLD)
    assert "contracts" in keys[""]
    assert "effect" in keys["contracts/*/then"]
    assert "timeout_effect" in keys["contracts/*"]
    assert values["kind"] == ["ContractBundle"]
    assert values["contracts/*/then/effect"] == ["deny", "approve", "warn", "redact"]
    assert values["contracts/*/outside"] == ["deny", "approve"]


def test_the_new_dialect_is_as_the_tables_have_it():
    assert grammar.keys_in(Dialect.NEW) == {
        place: list(words) for place, words in grammar.KEYS.items()
    }
