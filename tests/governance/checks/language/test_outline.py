"""Outline of a check: descriptions and line numbers."""

import pytest

from governance.checks.authoring.outline import outline_of_check
from governance.checks.authoring.words import condition_in_words
from governance.checks.queries.checks import ours

TEXT = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: mine}
otherwise: default
include: [http, json-rpc]
rules:
  - id: empty
    tool: query_*
    when: {result.rows: {empty: true}}
    verdict: failure
    label: partial
    reason: "no rows of {value}"

  # about the next one
  - {id: "null", tool: "*", when: {result: {type: "null"}}, verdict: unknown}
examples:
  - {tool: query_users, result: {rows: []}, verdict: failure}
  - result: null
    verdict: unknown
"""


def test_the_outline_has_line_numbers_of_rules_and_examples():
    outline = outline_of_check(TEXT)
    assert outline.otherwise == "default"
    empty, null = outline.rules
    assert (empty.id, empty.tool, empty.verdict, empty.label) == (
        "empty",
        "query_*",
        "failure",
        "partial",
    )
    assert (empty.line, empty.end_line, empty.reason) == (7, 12, "no rows of {value}")
    assert empty.says == "`result.rows` is empty"
    assert (null.id, null.tool, null.line, null.end_line) == ("null", "", 15, 15)
    assert [(each.tool, each.result, each.verdict, each.line) for each in outline.examples] == [
        ("query_users", '{"rows": []}', "failure", 17),
        ("", "null", "unknown", 18),
    ]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"result.ok": {"equals": False}}, "`result.ok` is false"),
        ({"result.a ?? result.b": {"gte": 400}}, "`result.a ?? result.b` ≥ 400"),
        ({"result": {"exists": True}}, "`result` exists"),
        ({"result": {"empty": False}}, "`result` is not empty"),
        (
            {"result": {"contains": "x", "ignore_case": True}},
            '`result` contains "x", ignoring case',
        ),
        ({"result.rows": {"length": {"gt": 3}}}, "the length of `result.rows` > 3"),
        (
            {"result.items[*].error": {"any_item": {"exists": True}}},
            "an item of `result.items[*].error` exists",
        ),
        (
            {"result.items": {"no_item": {"item.status": {"equals": "failed"}}}},
            '`result.items` has no item with `item.status` is "failed"',
        ),
        (
            {"result.items": {"every_item": {"any": [{"item.a": {"gt": 1}}, {"item": {"lt": 2}}]}}},
            "`result.items` has only items with (`item.a` > 1 or `item` < 2)",
        ),
        (
            {"result": {"count_items": {"when": {"equals": 1}, "is": {"gte": 3}}}},
            "the number of items of `result` with `item` is 1 ≥ 3",
        ),
        (
            {"all": [{"result.a": {"exists": True}}, {"not": {"result.b": {"in": [1, 2]}}}]},
            "`result.a` exists and not `result.b` is one of 1, 2",
        ),
        (None, "nothing"),
    ],
)
def test_a_condition_is_described_in_words(condition, words):
    assert condition_in_words(condition) == words


def test_a_truncated_selector_stays_in_backticks():
    parts = [{f"result.a_field_of_some_length_{number}": {"exists": True}} for number in range(9)]
    for spaces in range(60):  # wherever the text is truncated
        words = condition_in_words({"all": [{"result": {"equals": " " * spaces}}, *parts]})
        assert words.count("`") % 2 == 0
        assert words.endswith(("…", "…`"))


def test_every_rule_of_a_built_in_check_is_described_in_words():
    for each in ours():
        outline = outline_of_check(each.text)
        assert len(outline.rules) == each.rules
        for rule in outline.rules:
            assert rule.says not in ("", "nothing")


def test_yaml_that_is_not_a_check_has_no_outline():
    assert outline_of_check("- 1").rules == ()
