"""Selectors: compiled steps, and the column at which an invalid one is reported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.checks.language.selectors import BASES, SelectorRefused, read_selector, selector_at
from tests.governance.checks.language.strategies import characters, item_selectors, selectors


def steps_of(text: str) -> list[list[str | int]]:
    (alternative,) = read_selector(text)
    return alternative["steps"]


STEPS = {
    "result": [],
    "result.ok": [["key", "ok"]],
    "result.ok.then": [["key", "ok"], ["key", "then"]],
    "result.grpc-status": [["key", "grpc-status"]],
    "result.__type": [["key", "__type"]],
    "result.$ref.@id": [["key", "$ref"], ["key", "@id"]],
    'result."any key"': [["key", "any key"]],
    'result."a.b".c': [["key", "a.b"], ["key", "c"]],
    'result."qu\\"o\\\\te"': [["key", 'qu"o\\te']],
    'result."größe"': [["key", "größe"]],
    'result."\\u00e9"': [["key", "é"]],
    'result.""': [["key", ""]],
    'result."?? | [*]"': [["key", "?? | [*]"]],
    "result[0]": [["index", 0]],
    "result[-1].a": [["index", -1], ["key", "a"]],
    "result[007]": [["index", 7]],
    "result[*]": [["items"]],
    "result.*": [["values"]],
    "result.items[*].*.error": [["key", "items"], ["items"], ["values"], ["key", "error"]],
    "result|json": [["json"]],
    "result.body|json.ok": [["key", "body"], ["json"], ["key", "ok"]],
    "result | json | json": [["json"], ["json"]],
    "result|json|text": [["json"], ["text"]],
    "result.json.text": [["key", "json"], ["key", "text"]],
}


@pytest.mark.parametrize(("text", "steps"), STEPS.items(), ids=STEPS)
def test_each_step_is_parsed(text, steps):
    assert steps_of(text) == steps


def test_selector_alternatives_are_parsed_in_order():
    assert read_selector("result.a??result.b ?? tool  ??  elapsed_ms") == [
        {"base": "result", "steps": [["key", "a"]]},
        {"base": "result", "steps": [["key", "b"]]},
        {"base": "tool", "steps": []},
        {"base": "elapsed_ms", "steps": []},
    ]


def test_each_alternative_can_decode_json_twice():
    first, second = read_selector("result|json|json ?? result.a|json|json")
    assert len(first["steps"]) == 2
    assert len(second["steps"]) == 3


def test_item_selectors_are_valid_only_inside_item_conditions():
    assert read_selector("item.a", in_item=True) == [{"base": "item", "steps": [["key", "a"]]}]
    with pytest.raises(SelectorRefused, match="only inside any_item"):
        read_selector("item.a")


REFUSED = {
    "": ("begins with `result`", 0),
    "  result": ("begins with `result`", 0),
    "output.text": ("Did you mean `result`", 0),
    "reslt.a": ("Did you mean `result`", 0),
    "args.path": ("not with `args`", 0),
    "duration_ms": ("Did you mean `elapsed_ms`", 0),
    "results": ("Did you mean `result`", 0),
    "result.": ("Enter a key after the dot", 6),
    "result..a": ("Enter a key after the dot", 6),
    "result.a b": ("` b` is not a step", 8),
    "result a": ("` a` is not a step", 6),
    "result.a ": ("` ` is not a step", 8),
    "result.größe.a": (".“größe”".replace("“", '"').replace("”", '"'), 6),
    "result.a/b": ('."a/b"', 6),
    "result.0": ('[0], a key of this name ."0"', 6),
    "result.0.a": ('[0], a key of this name ."0"', 6),
    "result.5xx": ('."5xx"', 6),
    'result["any key"]': ('Write any key as ."any key"', 6),
    "result['a']": ('Write any key as ."a"', 6),
    "result[a]": ("whole number", 6),
    "result[1.5]": ("whole number", 6),
    "result[1": ("whole number", 6),
    "result[+1]": ("whole number", 6),
    "result[1234567890]": ("The highest is 999,999,999", 6),
    'result."a': ("never closed", 6),
    'result."\\x"': ("An unknown escape", 7),
    'result."\\ud800"': ("lone surrogates", 7),
    'result."\\u0000"': ("NUL characters", 7),
    "result|yaml": ("json or text", 6),
    "result|jsonp": ("json or text", 6),
    "result|json|json|json": ("at most twice", 16),
    "result|text.a": ("a text has no parts", 11),
    "result|text|json": ("a text has no parts", 11),
    "result ?? ": ("begins with `result`", 10),
    "result ? result": ("` ? result` is not a step", 6),
    "result.a?": ("a ?? b", 8),
    "tool.name": ("`tool` has no parts", 0),
    "result ?? elapsed_ms|text": ("`elapsed_ms` has no parts", 10),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=map(repr, REFUSED))
def test_an_invalid_selector_is_reported_at_its_column(text, message):
    words, index = message
    with pytest.raises(SelectorRefused) as refused:
        read_selector(text)
    assert words in refused.value.message
    assert refused.value.index == index


@given(selectors | item_selectors)
def test_a_selector_parses_the_same_between_braces(text):
    selector = read_selector(text, in_item=True)
    assert selector_at(f"{{{text}}}", 1, in_item=True) == (selector, len(text) + 1)


@given(st.text(characters) | st.text("result. [*]\"'|json?-0a\\").map("result{}".format))
def test_any_text_is_parsed_or_rejected_at_a_valid_index(text):
    selector, index = None, 0
    try:
        selector = read_selector(text)
    except SelectorRefused as refused:
        index = refused.index
    assert 0 <= index <= len(text)
    assert selector is None or {each["base"] for each in selector} <= {*BASES}
