"""A check reads the complete text; if it cannot, its verdict is unknown and says so."""

import json
from typing import Any

import pytest

from governance.checks.language.automata import automaton
from governance.checks.language.exports import python_module, typescript_module
from governance.checks.language.matcher import Explanation, build, canonical
from governance.checks.language.named import NamedCheck
from governance.checks.language.shipped import shipped
from governance.core.json_value import Json
from tests.governance.checks.language.exported import (
    Limits,
    Question,
    by_node,
    by_python,
    limited_build,
)
from tests.governance.checks.language.handmade import check, leaf, piped, rule

TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 7\n'
LINE = "2026-11-18 06:00:00 INFO worker 7 took é job\n"
MOST = 16_777_216
SIZES = [80_000, 8_000_000]


def log(size: int, end: str = TRACEBACK) -> str:
    return LINE * (size // len(LINE)) + end


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_a_traceback_at_the_end_of_a_long_log_is_a_failure(size):
    named = NamedCheck(shipped()["python-traceback"])
    results: list[Json] = [log(size), {"stderr": log(size)}, {"content": [{"text": log(size)}]}]
    for result in results:
        explanation = named.explain("run", result)
        assert (explanation.verdict, explanation.cut) == ("failure", False)
    fine = named.explain("run", log(size, end="done\n"))
    assert (fine.verdict, fine.rule, fine.cut) == ("success", "otherwise", False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exported", "answers"),
    [(python_module, by_python), (typescript_module, by_node)],
    ids=["Python", "TypeScript"],
)
def test_exported_modules_detect_a_traceback_at_the_end_of_a_long_log(exported, answers, tmp_path):
    texts = [log(80_000), log(8_000_000), log(8_000_000, end="done\n"), log(MOST, end="done\n")]
    items = [Question(0, "run", json.dumps(text, ensure_ascii=False)) for text in texts]
    result = answers(tmp_path, [exported(shipped()["python-traceback"])], items)
    assert [(each.verdict, each.cut) for each in result] == [
        ("failure", False),
        ("failure", False),
        ("success", False),
        ("unknown", True),
    ]


def test_a_text_inside_a_large_object_is_read_to_its_end():
    result = check(rule(leaf("contains", "Traceback (most", piped(["text"]))))
    outcome = build(result)("run", {"lines": [1, 2], "log": log(8_000_000)}, None)
    assert (outcome.verdict, outcome.cut) == ("failure", False)


def test_json_of_more_than_four_megabytes_is_parsed():
    result = check(rule(leaf("equals", value=False, select=piped(["json"], ["key", "ok"]))))
    outcome = build(result)("run", json.dumps({"log": log(5_000_000), "ok": False}), None)
    assert outcome.verdict == "failure"


TEXT = [{"base": "result", "steps": [["key", "text"]]}]
OF_ITEM = [{"base": "item", "steps": []}]
ITEMS = [{"base": "result", "steps": [["key", "items"]]}]
AS_TEXT = [{"base": "result", "steps": [["key", "items"], ["text"]]}]
TEXTS = [{"base": "result", "steps": [["key", "lists"], ["items"], ["text"]]}]
AS_JSON = [{"base": "result", "steps": [["key", "json"], ["json"], ["key", "a"]]}]
LONG = {
    "text": "seen " + "x" * 200,
    "items": ["seen", "y" * 200],
    "lists": [["seen", "y" * 200]],
    "json": json.dumps({"a": "x" * 200}),
    "status": 500,
}
FAILS = leaf("equals", 500, [{"base": "result", "steps": [["key", "status"]]}])
SUCCEEDS = leaf("equals", 200, [{"base": "result", "steps": [["key", "status"]]}])
HAS = leaf("contains", "unseen", TEXT)
HAS_ITEM = leaf("contains", "unseen", OF_ITEM)
UNDECIDED: dict[str, Any] = {
    "contains": HAS,
    "not contains": {"not": HAS},
    "contains_any": leaf("contains_any", ["unseen", "nor this"], TEXT),
    "ends_with": leaf("ends_with", "xx", TEXT),
    "matches": leaf("matches", 0, TEXT),
    "not matches": {"not": leaf("matches", 0, TEXT)},
    "matches the end": leaf("matches", 1, TEXT),
    "matches_any": leaf("matches_any", [0, 1], TEXT),
    "any of it and what is false": {"any": [HAS, SUCCEEDS]},
    "all of it and what is true": {"all": [FAILS, HAS]},
    "not all of it": {"not": {"all": [HAS, FAILS]}},
    "any_item": leaf("any_item", HAS_ITEM, ITEMS),
    "every_item": leaf("every_item", {"not": HAS_ITEM}, ITEMS),
    "no_item": leaf("no_item", HAS_ITEM, ITEMS),
    "count_items": leaf("count_items", {"when": HAS_ITEM, "is": {"op": "lt", "value": 1}}, ITEMS),
    "equals, of a text of it": leaf("equals", "[]", AS_TEXT),
    "not_equals, of a text of it": leaf("not_equals", "[]", AS_TEXT),
    "in, of a text of it": leaf("in", ["[]"], AS_TEXT),
    "length, of a text of it": leaf("length", {"op": "gt", "value": 9}, AS_TEXT),
    "equals, of texts of several": leaf("equals", ['["seen"]'], TEXTS),
    "not_equals, of texts of several": leaf("not_equals", ['["seen"]'], TEXTS),
    "in, of texts of several": leaf("in", [5, ['["seen"]']], TEXTS),
    "exists, in JSON": leaf("exists", value=True, select=AS_JSON),
    "exists not, in JSON": leaf("exists", value=False, select=AS_JSON),
    "type, in JSON": leaf("type", "string", AS_JSON),
    "what stands in JSON or beside it": leaf("empty", value=True, select=[*AS_JSON, *TEXT]),
}
DECIDED: dict[str, tuple[Any, bool]] = {
    "contains": (leaf("contains", "seen", TEXT), True),
    "not contains": ({"not": leaf("contains", "seen", TEXT)}, False),
    "matches": (leaf("matches", 2, TEXT), True),
    "matches nowhere": (leaf("matches", 3, TEXT), False),
    "starts_with": (leaf("starts_with", "seen", TEXT), True),
    "starts otherwise": (leaf("starts_with", "sees", TEXT), False),
    "equals": (leaf("equals", "seen", TEXT), False),
    "not_equals": (leaf("not_equals", "seen", TEXT), True),
    "length": (leaf("length", {"op": "equals", "value": 205}, TEXT), True),
    "empty": (leaf("empty", value=False, select=TEXT), True),
    "empty, of a text of it": (leaf("empty", value=False, select=AS_TEXT), True),
    "type, of a text of it": (leaf("type", "string", AS_TEXT), True),
    "exists, of a text of it": (leaf("exists", value=True, select=AS_TEXT), True),
    "starts_with, of a text of it": (leaf("starts_with", '["seen"', AS_TEXT), True),
    "equals, of texts of more": (leaf("equals", ["a", "b"], TEXTS), False),
    "equals, of texts and a text": (leaf("equals", "a", TEXTS), False),
    "any_item, of texts": (leaf("any_item", leaf("contains", "seen", OF_ITEM), TEXTS), True),
    "any of it and what is true": ({"any": [HAS, FAILS]}, True),
    "all of it and what is false": ({"all": [HAS, SUCCEEDS]}, False),
    "any_item": (leaf("any_item", leaf("contains", "seen", OF_ITEM), ITEMS), True),
    "every_item": (leaf("every_item", leaf("contains", "seem", OF_ITEM), ITEMS), False),
}
AUTOMATA = [automaton(pattern) for pattern in ("unseen", "x$", "se+n", "^unseen")]
CUT = limited_build(Limits(text=100))


def cut_short(*rules: dict[str, Any], otherwise: str = "success") -> Explanation:
    result = CUT(check(*rules, automata=AUTOMATA, otherwise=otherwise))("t", LONG, None)
    return Explanation(*result)


@pytest.mark.parametrize("when", UNDECIDED.values(), ids=UNDECIDED)
@pytest.mark.parametrize("verdict", ["success", "failure", "unknown"])
@pytest.mark.parametrize("otherwise", ["success", "failure", "unknown", "default"])
def test_a_verdict_that_depends_on_unread_text_is_unknown_and_says_so(when, verdict, otherwise):
    result = cut_short(rule(when, id="undecided", verdict=verdict), otherwise=otherwise)
    assert (result.verdict, result.rule, result.cut) == ("unknown", "too-much-work", True)
    assert "`undecided`" in result.reason


@pytest.mark.parametrize(("when", "is_true"), DECIDED.values(), ids=DECIDED)
def test_a_verdict_that_unread_text_cannot_change_is_final(when, is_true):
    result = cut_short(rule(when))
    assert (result.rule, result.cut) == ("rule" if is_true else "otherwise", False)


def test_a_reason_quotes_only_the_text_that_was_read():
    shows = rule(leaf("exists", value=True, select=TEXTS), reason=[{"value": True}])
    assert cut_short(shows).reason == canonical(['["seen","' + "y" * 91])


@pytest.mark.parametrize(
    ("before", "verdict", "expected"),
    [
        ("failure", "failure", "failure"),
        ("failure", "success", "unknown"),
        ("success", "failure", "unknown"),
        ("success", "success", "unknown"),
        ("unknown", "unknown", "unknown"),
        ("unknown", "failure", "unknown"),
    ],
)
def test_a_later_rule_decides_if_an_undecided_rule_has_the_same_verdict(before, verdict, expected):
    result = cut_short(rule(HAS, id="before", verdict=before), rule(FAILS, verdict=verdict))
    assert (result.verdict, result.cut) == (expected, True)
    assert result.rule == ("rule" if before == verdict != "success" else "too-much-work")


def test_a_check_that_exceeds_the_work_limit_in_a_long_text_is_unknown():
    patterns = [automaton(f"z{number}") for number in range(8)]
    result = check(*[rule(leaf("matches", number)) for number in range(8)], automata=patterns)
    judge = limited_build(Limits(work=50_000))(result)
    assert judge("t", "x" * 6_000 + "z7", None).verdict == "failure"
    verdict = judge("t", "x" * 8_000 + "z7", None)
    assert (verdict.verdict, verdict.cut) == ("unknown", True)
