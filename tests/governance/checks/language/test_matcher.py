"""Guarantees of the matcher beyond the language: it terminates and rejects unknown formats."""

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given

from governance.checks.language.matcher import Explanation, UnknownFormat, build, canonical
from governance.matching.call import WORK
from tests.governance.checks.language import oracle_values
from tests.governance.checks.language.exported import Limits, limited_build
from tests.governance.checks.language.handmade import check, leaf, piped, rule, there
from tests.governance.checks.language.strategies import values

EVERYTHING = build(
    check(
        rule(there(piped(["json"], ["json"]))),
        rule(there(piped(["json"]))),
        rule(leaf("matches", 1)),
        rule(leaf("matches_any", [0, 1], piped(["text"]))),
        rule(leaf("contains", "no such text", piped(["text"]))),
        rule(leaf("equals", [[[[5]]]])),
        rule(leaf("in", [{"a": {"a": {"a": 5}}}])),
        rule(leaf("length", {"op": "lt", "value": 0}, piped(["values"], ["values"]))),
        rule(leaf("any_item", leaf("equals", "no"), piped(["items"], ["items"]))),
    )
)
QUIET = Explanation("success", "otherwise")


def nested(levels: int, *, objects: bool) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value} if objects else [value]
    return value


@pytest.mark.parametrize("objects", [True, False])
@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_results_of_any_depth_get_a_verdict(levels, objects):
    assert EVERYTHING("tool", nested(levels, objects=objects), None).rule == "otherwise"


@pytest.mark.parametrize("levels", [1_000, 100_000])
def test_a_deep_value_is_truncated_in_the_reason(levels):
    judge = build(check(rule(there(), reason=[{"value": True}])))
    explanation = judge("tool", nested(levels, objects=False), None)
    assert explanation.value == explanation.reason == "[" * 200


@pytest.mark.parametrize(
    "text",
    [
        *("\\" * 1_000_000, '"' + "\\" * 1_000_001, '["' + '\\"' * 500_000, "[" * 1_000_000),
        *(
            '{"a":' * 200_000,
            "[]" * 500_000,
            '"' * 1_000_001,
            "1" * 1_000_000,
            "1e" + "9" * 1_000_000,
        ),
    ],
    ids=lambda text: f"{text[:6]}…",
)
def test_malformed_json_text_is_matched_within_the_limits(text):
    assert EVERYTHING("tool", text, None) == QUIET


@pytest.mark.slow
@pytest.mark.parametrize("character", ["b", "é"])
def test_a_64_megabyte_text_uses_memory_only_for_what_is_read(character):
    text = character * 64_000_000
    tracemalloc.start()
    try:
        result = EVERYTHING("tool", text, None)
        assert (result.verdict, result.rule, result.cut) == ("unknown", "too-much-work", True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_deeply_nested_item_conditions_stop_at_the_work_limit():
    inner = there()
    for _ in range(12):
        inner = leaf("every_item", inner)
    judge = build(check(rule(inner), otherwise="default"))
    explanation = judge("tool", [0] * 50, None)
    assert explanation[:2] == ("unknown", "too-much-work")
    assert explanation.reason
    assert explanation.cut


OF_ITEM = [{"base": "item", "steps": []}]


@pytest.mark.parametrize(
    "test",
    [
        leaf("equals", [0] * 20_000, piped(["key", "list"])),
        leaf("equals", "A" * 60_000, piped(["key", "text"])) | {"ignore_case": True},
        leaf("contains_any", ["z"] * 20_000, OF_ITEM),
        leaf("equals", 5, OF_ITEM * 5_000),
        {"any": [leaf("gte", 1, OF_ITEM)] * 5_000},
    ],
    ids=["a long list", "a long text", "many texts", "many ways", "many conditions"],
)
def test_small_work_per_item_counts_toward_the_limit(test):
    limited = limited_build(Limits(work=WORK // 20))  # the full limit takes more than a second
    judge = limited(check(rule(leaf("any_item", test, piped(["key", "items"])))))
    given = {"list": [0] * 19_999 + [1], "text": "é" * 60_000, "items": ["é"] * 12_000}
    assert judge("tool", given, None).rule == "too-much-work"


def test_exceeding_the_work_limit_does_not_affect_the_next_call():
    judge = build(check(rule(leaf("every_item", leaf("every_item", there())))))
    assert judge("tool", [[0] * 100] * 40_000, None).verdict == "unknown"
    assert judge("tool", [[0], []], None).verdict == "failure"


def test_cached_texts_of_two_values_are_not_mixed_up():
    """Lists created by a selector are short-lived, and the next can reuse their address."""
    rules = [
        rule(leaf("equals", f"[{place}]", piped(["key", "a"], ["values"], ["text"])))
        for place in range(30)
    ]
    one = [
        rule(leaf("contains", '"b":7', piped(["index", place], ["text"]))) for place in range(99)
    ]
    judge = build(check(*rules, *one))
    assert judge("tool", [{"b": place} for place in range(99)], None).value == '{"b":7}'


@pytest.mark.parametrize(
    "document",
    [
        check(format=2),
        check(format="1"),
        {},
        check(rules=[{}]),
        check(rules=[rule({"maybe": []})]),
        check(rules=[rule(leaf("resembles", 5))]),
        check(rules=[rule(leaf("matches", 2))]),
        check(rules=[rule(leaf("type", "text"))]),
        check(rules=[rule(leaf("count_items", {"when": there(), "is": {"op": "in"}}))]),
        check(rules=[rule(there(piped(["walk"])))]),
        check(rules=[rule(there([{"base": "call", "steps": []}]))]),
        check(rules=[rule(there(), verdict="maybe")]),
        check(otherwise="maybe"),
        check(automata=[{}]),
        check(automata=None),
    ],
    ids=lambda document: json.dumps(document)[-60:],
)
def test_an_unsupported_format_is_rejected(document):
    with pytest.raises(UnknownFormat, match=r"known here|is not supported|not a check of format"):
        build(document)


def test_an_included_rule_is_prefixed_with_its_check():
    judge = build(check(rule(there(), of="json-rpc", of_version=3)))
    assert judge("tool", {}, None).rule == "json-rpc/rule"


@pytest.mark.parametrize(
    ("glob", "tool", "fits"),
    [
        *(("*", "", True), ("http_*", "http_get", True), ("http_*", "xhttp_get", False)),
        *(("h?t", "hit", True), ("h?t", "ht", False), ("a*b*c", "aXXbYYc", True)),
        *(
            ("a*b*c", "aXXcYYb", False),
            ("[a]", "a", False),
            ("[a]", "[a]", True),
            ("A", "a", False),
        ),
        *(
            ("*a" * 30 + "b", "a" * 60, False),
            ("a**", "a", True),
            ("?*", "", False),
            ("*", "*x", True),
        ),
    ],
)
def test_a_rule_applies_only_to_tools_that_match_its_glob(glob, tool, fits):
    judge = build(check(rule(there(), tool=glob)))
    for _ in range(2):
        assert (judge(tool, {}, None).verdict == "failure") is fits


def test_more_tools_than_the_cache_holds_are_matched_correctly():
    judge = build(check(rule(there(), tool="t1*")))
    failed = [number for number in range(3_000) if judge(f"t{number}", 0, None).rule == "rule"]
    assert failed == [number for number in range(3_000) if str(number).startswith("1")]


def test_elapsed_ms_is_missing_if_it_was_not_measured():
    elapsed = [{"base": "elapsed_ms", "steps": []}]
    judge = build(
        check(
            rule(leaf("gt", 1_000, elapsed)),
            rule(leaf("exists", value=False, select=elapsed), id="no"),
        )
    )
    assert [judge("tool", None, each).rule for each in (1_500.5, 0, None)] == [
        "rule",
        "otherwise",
        "no",
    ]


@given(values)
def test_canonical_json_matches_the_reference_encoder(value):
    assert canonical(value) == oracle_values.canonical(value)


@given(values)
def test_canonical_json_is_truncated_at_the_requested_length(value):
    result = canonical(value)
    for most in (0, 1, 5, 20):
        begun = canonical(value, most)
        assert begun[:most] == result[:most]
        assert (len(begun) > most) is (len(result) > most)


@pytest.mark.parametrize("character", ["B", "É"])
def test_a_text_longer_than_every_operand_is_not_case_folded(character):
    seldom = {**leaf("in", ["b", "é"]), "ignore_case": True}
    judge = build(check(*[rule(seldom)] * 500, otherwise="success"))
    text = character * 8_000_000
    tracemalloc.start()
    try:
        assert judge("tool", text, None).verdict == "success"
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_a_reason_evaluates_only_selectors_that_fit_its_length():
    """Sixty traversals of the complete result would exceed the work limit."""
    counted = {"select": [{"base": "result", "steps": [["items"], ["items"]]}]}
    judge = build(check({**rule(there()), "reason": ["-" * 500, *[counted] * 60]}))
    verdict = judge("tool", [[0]] * 60_000, None)
    assert (verdict.verdict, verdict.reason) == ("failure", "-" * 500)
