"""All implementations of a check agree on the verdict, the rule, its value and its reason."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.checks.language.automata import automaton
from governance.checks.language.exports import python_module, typescript_module
from governance.checks.language.matcher import canonical
from governance.checks.language.named import NamedCheck
from governance.checks.language.text import check_text
from governance.core.compiled_check import Compiled
from tests.governance.checks.language.exported import (
    Answer,
    Limits,
    NodeMatcher,
    Question,
    by_node,
    by_python,
    limited_build,
)
from tests.governance.checks.language.generated import REACHED, Generated, constructs, generated
from tests.governance.checks.language.handmade import check, leaf, piped, rule
from tests.governance.checks.language.oracle import Expected, judged
from tests.governance.checks.language.strategies import TOOLS, as_yaml, documents, elapsed, results
from tests.governance.checks.language.text_strategies import text_calls, text_documents

ENOUGH = 200  # minimum decisions of each construct for each verdict


def compiled_of(document: dict[str, Any]) -> Compiled:
    checked = check_text(as_yaml(document), included=lambda name: None)
    assert checked.compiled is not None, checked.problems
    return checked.compiled


def comparable(answer: Any) -> tuple[Any, ...]:
    verdict, rule, selector, value, reason, labels, cut = answer[:7]
    return verdict, rule, selector, canonical(value), reason, list(labels), cut


@cache
def the_generated() -> tuple[list[Generated], list[Compiled], list[Question], list[Expected]]:
    checks = generated()
    compiled = [compiled_of(check.document) for check in checks]
    items = [
        Question(number, tool, text)
        for number, check in enumerate(checks)
        for tool, text in check.calls
    ]
    body = [
        judged(checks[each.module].document, each.tool, json.loads(each.result)) for each in items
    ]
    return checks, compiled, items, body


def refute(answers: list[Any], questions: list[Question], expectations: list[Expected]) -> None:
    for answer, question, expected in zip(answers, questions, expectations, strict=True):
        assert comparable(answer) == comparable(expected), (question, expected.leaf)


@pytest.mark.slow
def test_generated_calls_cover_every_construct_with_every_verdict():
    checks, _, result, outcome = the_generated()
    counted = dict.fromkeys(REACHED, 0)
    for question, each in zip(result, outcome, strict=True):
        for construct in constructs(checks[question.module].document, question.tool, each):
            counted[construct] += 1
    assert {name: count for name, count in counted.items() if count < ENOUGH} == {}


@pytest.mark.slow
def test_the_console_agrees_with_the_reference_interpreter():
    _, compiled, result, outcome = the_generated()
    checks = [NamedCheck(each) for each in compiled]
    answers = [checks[each.module].explain(each.tool, json.loads(each.result)) for each in result]
    refute(answers, result, outcome)


@pytest.mark.slow
def test_exported_python_agrees_with_the_reference_interpreter(tmp_path: Path):
    _, compiled, result, outcome = the_generated()
    answers = by_python(tmp_path, [python_module(each) for each in compiled], result)
    refute(answers, result, outcome)
    assert_success_is_whatever_did_not_fail(answers)


@pytest.mark.slow
def test_exported_typescript_agrees_with_the_reference_interpreter(tmp_path: Path):
    _, compiled, result, outcome = the_generated()
    answers = by_node(tmp_path, [typescript_module(each) for each in compiled], result)
    refute(answers, result, outcome)
    assert_success_is_whatever_did_not_fail(answers)


def assert_success_is_whatever_did_not_fail(answers: list[Answer]) -> None:
    assert {(each.verdict, each.success) for each in answers} == {
        ("success", True),
        ("unknown", True),
        ("failure", False),
    }


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeMatcher]:
    matcher = NodeMatcher(tmp_path_factory.mktemp("node"))
    yield matcher
    matcher.close()


calls = st.lists(st.tuples(st.sampled_from(TOOLS), results, elapsed), min_size=1, max_size=8)


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(documents(), calls)
def test_all_implementations_agree_on_generated_checks_and_results(
    node: NodeMatcher, document, calls
):
    compiled = compiled_of(document)
    check = NamedCheck(compiled)
    texts = [(tool, json.dumps(result), ms) for tool, result, ms in calls]
    by_typescript = node.judged(compiled, texts)
    for (tool, result, ms), answer in zip(calls, by_typescript, strict=True):
        expected = comparable(judged(document, tool, result, ms))
        assert comparable(check.explain(tool, result, ms)) == expected
        assert comparable(answer) == expected


B_OF_ITEM = [{"base": "item", "steps": [["key", "b"]]}]
OF_ITEMS = {
    "any": [
        leaf("equals", 5, B_OF_ITEM),
        {
            "not": leaf(
                "exists", value=True, select=[*piped(["key", "c"]), {"base": "item", "steps": []}]
            )
        },
    ]
}
SPENDS = [
    ("equals", 5, [["key", "a"], ["values"]], {"a": {"b": 1, "c": 2}}, 32),
    ("equals", 5, [["key", "a"], ["items"], ["key", "b"]], {"a": [1, {"b": 2}, 3]}, 48),
    ("equals", [], [["key", "a"]], {"a": [1]}, 16),
    ("equals", 5, [["key", "a"], ["text"]], {"a": ["\U0001f600"]}, 2 * (3 * 32 + 5)),
    ("equals", 5, [["key", "a"], ["json"]], {"a": '["\U0001f600"]'}, 5),
    ("equals", 5, [["key", "a"], ["json"]], {"a": "no JSON"}, 7),
    ("equals", 5, [["key", "a"], ["json"]], {"a": "It is no JSON"}, 0),
    ("contains", "z", [["key", "a"]], {"a": "\U0001f600" * 16}, 3),
    ("contains", "\U0001f600" * 16, [["key", "a"]], {"a": "y" * 16}, 5),
    ("starts_with", "\U0001f600" * 16, [["key", "a"]], {"a": "y"}, 16),
    ("ends_with", "\U0001f600" * 16, [["key", "a"]], {"a": "y" * 99}, 16),
    ("matches", 0, [["key", "a"]], {"a": "\U0001f600" * 16}, 16),
    ("matches", 1, [["key", "a"]], {"a": "y" * 16}, 1),
    ("matches", 2, [["key", "a"]], {"a": "y" * 16}, 8 * 16),
    ("matches", 3, [["key", "a"]], {"a": "\u20ac\U00030000é" * 5_000}, 15_000),
    ("contains_any", ["z"] * 40, [["key", "a"]], {"a": "1234"}, 40),
    ("matches_any", [0, 0, 0], [["key", "a"]], {"a": "1234"}, 44),
    ("equals", [1, [2, "\U0001f600" * 32]], [["key", "a"]], {"a": [1, [3, "y"]]}, 98),
    ("equals", {"b": 1}, [["key", "a"]], {"a": {"c": 1}}, 48),
    ("equals", {"b": 1}, [["key", "a"]], {"a": [1]}, 16),
    ("equals", "\U0001f600" * 40, [["key", "a"]], {"a": "y"}, 2),
    ("equals", 5, [["key", "a"], ["json"]], {"a": " \n It is no JSON"}, 3),
    ("any_item", OF_ITEMS, [["key", "a"]], {"a": [1, 2]}, 2 * (16 + 2 + 16 + 1 + 2)),
    (
        "count_items",
        {"when": OF_ITEMS, "is": {"op": "gt", "value": 9}},
        [["key", "a"]],
        {"a": [1]},
        37,
    ),
]


FOLDED = {**leaf("contains", "Z", piped(["key", "a"])), "ignore_case": True}


@pytest.mark.parametrize(("op", "operand", "steps", "result", "cost"), SPENDS)
def test_all_implementations_exhaust_the_budget_at_the_same_point(
    node: NodeMatcher, op: str, operand: Any, steps: list[Any], result: dict[str, Any], cost: int
):
    ends_at(node, leaf(op, operand, piped(*steps)), result, cost)


def test_half_of_the_remaining_budget_goes_to_searching_folded_text(node: NodeMatcher):
    ends_at(node, FOLDED, {"a": "\U0001f600É" * 8}, 2 * 16)


def ends_at(node: NodeMatcher, condition: Any, result: Any, cost: int) -> None:
    patterns = [automaton(each) for each in ("z", "^z", "\U00020001", "[€é]x")]
    compiled = check(rule(condition), automata=patterns)
    for work, verdict in ((cost, "success"), (cost - 1, "unknown")):
        limits = Limits(work=work)
        (outcome,) = node.judged(compiled, [("tool", json.dumps(result), None)], limits)
        actual = limited_build(limits)(compiled)("tool", result, None)
        assert (actual.verdict, outcome[0]) == (verdict, verdict)
        assert actual.cut is (verdict == "unknown")
        assert comparable(outcome) == comparable(actual)


few = st.integers(0, 400)


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(documents(), calls, few, few)
def test_unread_input_never_contradicts_a_verdict(node: NodeMatcher, document, calls, work, text):
    """All implementations agree on a truncated text, and unread text cannot change the verdict."""
    cut_as_the_rest_allows(node, document, calls, Limits(work, text // 8))


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(text_documents, text_calls, few, few)
def test_unread_text_never_contradicts_a_verdict(node: NodeMatcher, document, calls, work, text):
    cut_as_the_rest_allows(node, document, calls, Limits(work, text // 8))


def cut_as_the_rest_allows(
    node: NodeMatcher, document: dict[str, Any], calls: list[Any], limits: Limits
) -> None:
    compiled = compiled_of(document)
    cut_short, all_of_it = limited_build(limits)(compiled), NamedCheck(compiled)
    texts = [(tool, json.dumps(result), ms) for tool, result, ms in calls]
    for (tool, result, ms), answer in zip(calls, node.judged(compiled, texts, limits), strict=True):
        outcome, expected = cut_short(tool, result, ms), all_of_it.explain(tool, result, ms)
        assert comparable(answer) == comparable(outcome)
        if not outcome.cut:
            # With `any`, the reported condition may differ; the deciding rule does not.
            assert outcome[:2] == expected[:2]
        else:
            assert outcome.verdict in {"unknown", expected.verdict} - {"success"}
