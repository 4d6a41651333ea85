"""Inserting rules and examples into a check without changing the rest of its YAML."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.checks.authoring.inserting import Pairs, rule_ids, with_example, with_rule
from governance.checks.authoring.skeletons import rule_for
from governance.checks.language.matcher import build
from governance.checks.language.text import check_text
from governance.core.compiled_check import Compiled
from governance.core.errors import InvalidInput
from governance.core.texts import is_storable
from tests.governance.checks.language import strategies

HEAD = "apiVersion: edictum-site/v1\nkind: SuccessCheck\nmetadata: {name: n}\notherwise: success\n"
RULE = "  - id: null-is-failure\n    when: {result: {type: 'null'}}\n    verdict: failure\n"
RULES = f"rules:  # first match wins\n{RULE}    # about null\n"
EXAMPLES = "examples:\n- {tool: t, result: null, verdict: failure}\n# the end\n"
NOT_OK: Pairs = [
    ("id", "not-ok"),
    ("when", {"result.ok": {"equals": False}}),
    ("verdict", "failure"),
]


def nothing(_: str) -> None:
    return None


def compiled(text: str) -> Compiled:
    read = check_text(text, included=nothing)
    assert read.problems == ()
    assert read.compiled is not None
    return read.compiled


def problems(text: str) -> list[str]:
    return [str(each) for each in check_text(text, included=nothing).problems]


def test_an_example_is_appended_with_the_indent_of_existing_ones():
    inserted = with_example(HEAD + RULES + EXAMPLES, tool="crm", result={"a": 1}, verdict="success")
    lines = inserted.text.split("\n")
    assert lines[inserted.line - 1] == "- {tool: crm, result: {a: 1}, verdict: success}"
    assert inserted.text.replace(lines[inserted.line - 1] + "\n", "") == HEAD + RULES + EXAMPLES
    assert problems(inserted.text) == []


def test_a_rule_is_appended_or_inserted_before_a_given_rule():
    last = with_rule(HEAD + RULES + EXAMPLES, NOT_OK)
    assert rule_ids(last.text) == ["null-is-failure", "not-ok"]
    assert last.text.split("\n")[last.line - 1] == "  - id: not-ok"
    first = with_rule(HEAD + RULES + EXAMPLES, NOT_OK, before="null-is-failure")
    assert rule_ids(first.text) == ["not-ok", "null-is-failure"]
    assert problems(last.text) == problems(first.text) == []


@pytest.mark.parametrize(
    "text",
    [
        HEAD,
        HEAD.rstrip("\n"),
        HEAD + "examples: []\n",
        HEAD + "examples:\n",
        HEAD + "examples: [ {result: 1, verdict: success} ]\n",
        HEAD + "examples: [{result: 1, verdict: success},]\n",
        HEAD + "examples: [\n  {result: 1, verdict: success}\n]\n",
        HEAD + "examples:\n  - result: |\n      a\n\n      b\n    verdict: success\n\n\n",
        HEAD + "examples:\n  -\n    result: [1,\n  2]\n    verdict: success",
        HEAD + "examples:\n  - {result: 1, verdict: success}\ninclude: []\n",
        json.dumps(
            {"apiVersion": "edictum-site/v1", "kind": "SuccessCheck", "metadata": {"name": "n"}}
            | {"otherwise": "success", "examples": [{"result": 1, "verdict": "success"}]},
            indent=2,
        ),
        '{"apiVersion": "edictum-site/v1", "kind": "SuccessCheck", "metadata": {"name": "n"}, '
        '"otherwise": "success"}',
    ],
)
def test_an_item_is_appended_to_any_list_style(text):
    before = len(check_text(text, included=nothing).examples)
    inserted = with_example(text, tool="t", result={"a": "x"}, verdict="success")
    examples = check_text(inserted.text, included=nothing).examples
    assert problems(inserted.text) == []
    assert len(examples) == before + 1
    assert examples[-1].line == inserted.line
    with_one_rule = with_rule(inserted.text, NOT_OK)
    assert problems(with_one_rule.text) == []
    assert rule_ids(with_one_rule.text) == ["not-ok"]


def test_new_rules_are_inserted_before_the_examples():
    inserted = with_rule(HEAD + EXAMPLES, NOT_OK)
    assert inserted.text.index("rules:") < inserted.text.index("examples:")
    assert inserted.text.split("\n")[inserted.line - 1] == "  - id: not-ok"


@pytest.mark.parametrize("text", ["", "a: [", "- a", "a: &x 1", HEAD + "examples: {a: 1}\n", "\0"])
def test_inserting_into_an_invalid_check_is_rejected(text):
    with pytest.raises(InvalidInput):
        with_example(text, tool="t", result=1, verdict="success")


def test_a_long_example_is_written_in_block_style():
    inserted = with_example(HEAD, tool="t", result="x" * 90, verdict="success")
    assert inserted.text.endswith(
        f"examples:\n  - tool: t\n    result: {'x' * 90}\n    verdict: success\n"
    )


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(
        (*strategies.TEXTS, "yes", "012", "12:30", "~", "- a", "#", "\u2028", "\ufeff", "\x85")
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8) | st.sampled_from(strategies.KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


def keepable(value: object) -> bool:
    match value:
        case str():
            return is_storable(value)
        case list():
            return all(map(keepable, value))
        case dict():
            return all(keepable(key) and keepable(inner) for key, inner in value.items())
        case _:
            return True


@settings(max_examples=150)
@given(values.filter(keepable), st.sampled_from(("t", "http_get", "ä", "a b", "no", "")))
def test_inserted_examples_round_trip(result, tool):
    inserted = with_example(HEAD + RULES, tool=tool, result=result, verdict="success")
    (example,) = check_text(inserted.text, included=nothing).examples
    assert example.tool == tool
    same: Pairs = [("id", "same"), ("when", {"result": {"equals": result}}), ("verdict", "failure")]
    text = with_rule(HEAD, same).text
    (example,) = check_text(
        with_example(text, tool=tool, result=result, verdict="failure").text, included=nothing
    ).examples
    assert example.explanation.rule == "same"


@settings(max_examples=200)
@given(values.filter(keepable) | strategies.results, st.sampled_from(("t", "http_*", "ä", "")))
def test_a_generated_rule_matches_its_result(result, tool):
    rule = rule_for(result, tool, {"ok"})
    judge = build(compiled(with_rule(HEAD, rule).text))
    assert judge(tool, result, None).rule == dict(rule)["id"]


@pytest.mark.parametrize(
    ("result", "when", "more"),
    [
        (
            {"ok": False, "message": "m"},
            {"result.ok": {"equals": False}},
            {"id": "not-ok", "reason": "{result.message}"},
        ),
        ({"id": 4, "isError": True}, {"result.isError": {"equals": True}}, {"id": "is-error"}),
        ({"error": None, "status": 503}, {"result.status": {"gte": 400}}, {"reason": "{value}"}),
        (
            {"error": {"code": 4, "message": "m"}},
            {"result.error": {"exists": True}},
            {"reason": "{result.error.message}"},
        ),
        ({"errors": [{"message": "m"}], "data": None}, {"result.errors": {"empty": False}}, {}),
        ({"exit_code": 2, "stdout": ""}, {"result.exit_code": {"not_equals": 0}}, {}),
        (
            {"job": 4, "status": "queued"},
            {"result.status": {"equals": "queued"}},
            {"verdict": "unknown", "label": "pending"},
        ),
        ({"rows": []}, {"result.rows": {"empty": True}}, {}),
        ({"a-b": {"ok": False}}, {"result.a-b.ok": {"equals": False}}, {}),
        ({"a b": False}, {'result."a b"': {"equals": False}}, {}),
        ("Error: no such table", {"result": {"starts_with": "Error:"}}, {}),
        ('{"success": false}', {"result|json.success": {"equals": False}}, {}),
        (
            "x\nTraceback (most recent call last):\n",
            {"result": {"contains": "Traceback (most recent call last)"}},
            {"id": "traceback"},
        ),
        (None, {"result": {"type": "null"}}, {"id": "null-result"}),
        ([], {"result": {"empty": True}}, {}),
    ],
)
def test_a_generated_rule_uses_the_most_informative_field(result, when, more):
    rule = dict(rule_for(result, "t", ()))
    assert rule["when"] == when
    assert more.items() <= rule.items()


def test_generated_rule_ids_are_unique():
    names = {"not-ok", "not-ok-2"}
    assert dict(rule_for({"ok": False}, "", names))["id"] == "not-ok-3"
