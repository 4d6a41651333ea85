"""The JSON Schema accepts what the parser accepts, and rejects what is malformed."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from governance.checks.authoring.schema import JSON_SCHEMA
from governance.checks.language.problems import Problems
from governance.checks.language.shipped import shipped, shipped_text
from governance.checks.language.text import check_text
from governance.checks.language.tree import tree_of
from governance.checks.language.values import value_of
from tests.governance.checks.language.strategies import Document, as_yaml, documents

VALIDATOR = Draft202012Validator(JSON_SCHEMA)

MODEL: Document = {
    "apiVersion": "edictum-site/v1",
    "kind": "SuccessCheck",
    "metadata": {"name": "model", "description": "One of each"},
    "otherwise": "default",
    "rules": [
        {
            "id": "first",
            "tool": "http_*",
            "when": {"result.ok": {"equals": False}},
            "verdict": "failure",
            "reason": "{result.message}",
            "label": "partial",
        }
    ],
    "examples": [{"tool": "http_get", "result": {"ok": False}, "verdict": "failure"}],
}


def with_(path: str, value: Any) -> Document:
    """The model with another value at this path; a missing key is added."""
    document = copy.deepcopy(MODEL)
    *way, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
    place: Any = document
    for step in way:
        place = place[step]
    place[last] = value
    return document


def without(path: str) -> Document:
    document = copy.deepcopy(MODEL)
    *way, last = [int(step) if step.isdecimal() else step for step in path.split("/")]
    place: Any = document
    for step in way:
        place = place[step]
    del place[last]
    return document


def when(condition: Any) -> Document:
    return with_("rules/0/when", condition)


def parsed(document: Document) -> bool:
    return check_text(as_yaml(document), included=lambda name: None).compiled is not None


def test_the_schema_is_valid_json_schema():
    Draft202012Validator.check_schema(JSON_SCHEMA)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(documents())
def test_the_schema_accepts_what_the_parser_accepts(document):
    VALIDATOR.validate(document)


@pytest.mark.parametrize("name", shipped())
def test_every_built_in_check_is_valid(name):
    text = shipped_text(name)
    assert text
    root = tree_of(text)
    assert root
    VALIDATOR.validate(value_of(root, Problems()))


def test_the_schema_and_the_parser_accept_the_model():
    VALIDATOR.validate(MODEL)
    assert parsed(MODEL)


ABOUT_ITEMS: dict[str, Any] = {
    "an operator on the item": {"gte": 400},
    "a condition about it": {"item.error": {"exists": True}},
    "conditions together": {
        "all": [{"item.a": {"exists": True}}, {"not": {"item": {"equals": 1}}}]
    },
    "lists in the item": {"item.errors[*]": {"any_item": {"type": "object"}}},
    "beside the rest of the result": {"result.limit ?? item.limit": {"lt": 3}},
    "a number of items": {"item": {"count_items": {"when": {"lt": 0}, "is": {"gte": 3}}}},
}


@pytest.mark.parametrize("about", ABOUT_ITEMS.values(), ids=ABOUT_ITEMS)
def test_the_schema_and_the_parser_accept_item_conditions(about):
    document = when({"result[*]": {"any_item": about}})
    VALIDATOR.validate(document)
    assert parsed(document)


INVALID: dict[str, Document] = {
    "another version": with_("apiVersion", "edictum-site/v2"),
    "another kind": with_("kind", "Ruleset"),
    "no metadata": without("metadata"),
    "no name": with_("metadata", {}),
    "a name with capitals": with_("metadata/name", "Model"),
    "a name too long": with_("metadata/name", "a" * 64),
    "an unknown key": with_("rule", []),
    "an unknown key of metadata": with_("metadata/owner", "x"),
    "no otherwise": without("otherwise"),
    "an unknown verdict at the end": with_("otherwise", "maybe"),
    "an include that is no list": with_("include", "http"),
    "an include twice": with_("include", ["http", "http"]),
    "rules that are no list": with_("rules", {}),
    "a rule that is a text": with_("rules/0", "first"),
    "a rule without a name": without("rules/0/id"),
    "a rule with a taken name": with_("rules/0/id", "otherwise"),
    "a rule without a condition": without("rules/0/when"),
    "a rule without a verdict": without("rules/0/verdict"),
    "a rule with an unknown verdict": with_("rules/0/verdict", "error"),
    "a rule with the verdict of the end": with_("rules/0/verdict", "default"),
    "a rule with an unknown label": with_("rules/0/label", "slow"),
    "an unknown key of a rule": with_("rules/0/tools", ["a"]),
    "a tool that is a list": with_("rules/0/tool", ["a"]),
    "a tool that is a set": with_("rules/0/tool", "http_{a,b}"),
    "a tool without a name": with_("rules/0/tool", ""),
    "a reason that is a number": with_("rules/0/reason", 5),
    "a reason too long": with_("rules/0/reason", "x" * 1_001),
    "an example without a result": without("examples/0/result"),
    "an example without a verdict": without("examples/0/verdict"),
    "an example with an unknown key": with_("examples/0/arguments", {}),
    "an example that took a text's time": with_("examples/0/elapsed_ms", "5"),
    "an empty condition": when({}),
    "a list for a condition": when([{"result": {"equals": 1}}]),
    "two selectors": when({"result.a": {"equals": 1}, "result.b": {"equals": 1}}),
    "an operator without a selector": when({"equals": 1}),
    "a value without an operator": when({"result.ok": False}),
    "no operator": when({"result.ok": {}}),
    "two operators": when({"result.ok": {"gte": 1, "lt": 3}}),
    "an unknown operator": when({"result.ok": {"equal": 1}}),
    "an option alone": when({"result.ok": {"ignore_case": True}}),
    "an option beside another operator": when({"result.ok": {"gte": 1, "ignore_case": True}}),
    "lines without a pattern": when({"result.ok": {"contains": "a", "multiline": True}}),
    "an option that is a text": when({"result.ok": {"equals": "a", "ignore_case": "yes"}}),
    "all of nothing": when({"all": []}),
    "all of one that is no list": when({"all": {"result": {"equals": 1}}}),
    "not of a list": when({"not": [{"result": {"equals": 1}}]}),
    "an unknown base": when({"output.text": {"equals": 1}}),
    "an item where none is": when({"item.ok": {"equals": 1}}),
    "a step that is none": when({"result[a]": {"equals": 1}}),
    "a key with other signs": when({"result.größe": {"equals": 1}}),
    "three times decoded": when({"result|json|json|json": {"equals": 1}}),
    "a step after the text": when({"result|text.a": {"equals": 1}}),
    "parts of the tool's name": when({"tool.name": {"equals": "a"}}),
    "an alternative that is missing": when({"result.a ?? ": {"equals": 1}}),
    "a comparison with a text": when({"result.status": {"gte": "400"}}),
    "a comparison with truth": when({"result.status": {"gte": True}}),
    "a search for a number": when({"result.status": {"contains": 5}}),
    "a list of nothing": when({"result.status": {"in": []}}),
    "a list that is none": when({"result.status": {"in": 5}}),
    "an empty pattern": when({"result.status": {"matches": ""}}),
    "a pattern too long": when({"result.status": {"matches": "a" * 1_001}}),
    "an unknown type": when({"result.status": {"type": "integer"}}),
    "a type that is null": when({"result.status": {"type": None}}),
    "existence that is a text": when({"result.status": {"exists": "true"}}),
    "a length that is a number": when({"result.rows": {"length": 0}}),
    "a length compared twice": when({"result.rows": {"length": {"gte": 0, "lt": 3}}}),
    "a length compared with a list": when({"result.rows": {"length": {"in": [1]}}}),
    "counting without a number": when({"result[*]": {"count_items": {"when": {"equals": 1}}}}),
    "counting without a condition": when({"result[*]": {"count_items": {"is": {"gte": 1}}}}),
    "two operators on an item": when({"result[*]": {"any_item": {"gte": 1, "lt": 3}}}),
    "the whole result for each item": when(
        {"result[*]": {"any_item": {"result[*]": {"equals": 1}}}}
    ),
    "lists of the result for each item": when(
        {"result[*]": {"any_item": {"result.a": {"any_item": {"equals": 1}}}}}
    ),
    "lists of either for each item": when(
        {"result[*]": {"any_item": {"item.a ?? result.a": {"any_item": {"equals": 1}}}}}
    ),
}


@pytest.mark.parametrize("document", INVALID.values(), ids=INVALID)
def test_the_schema_and_the_parser_reject_malformed_documents(document):
    assert not VALIDATOR.is_valid(document)
    assert not parsed(document)
