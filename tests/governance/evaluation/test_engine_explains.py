"""Explanations of a decision: the library's decision, every rule, and the values each one read."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.core.errors import CallInvalid, DocumentInvalid, EvaluationLimit
from governance.evaluation.engine import (
    Engine,
    Evaluation,
    ExplainedRule,
    Explanation,
    RuleResult,
    ToolCall,
)
from governance.texts.dialect import Dialect
from tests.governance.by_the_library import by_the_engine, by_the_library
from tests.governance.contracts.documents import ALWAYS, EVIL, EVIL_TEXT, call, document, post, pre
from tests.governance.generated import CALLS, DOCUMENTS, text_of


def shared_by_both(answer: Evaluation | Explanation) -> list[tuple[Any, ...]]:
    """Fields of each evaluated rule that both results have, by id, as their orders differ."""
    items = [rule for rule in answer.rules if isinstance(rule, RuleResult) or not rule.unasked]
    return sorted((r.id, r.type, r.passed, r.message or "", r.observed, r.action) for r in items)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.lists(CALLS, min_size=1, max_size=3), st.sampled_from(Dialect))
def test_decision_and_explanation_agree(engine, contract, calls, dialect):
    text = text_of(contract, dialect)
    for tool_call in calls:
        try:
            expected = by_the_library(text_of(contract), tool_call)
        except AttributeError:  # `Bash` requires `command` to be a string
            for ask in (engine.evaluate_call, engine.explain):
                with pytest.raises(CallInvalid):
                    ask(text, tool_call)
            continue
        evaluation = engine.evaluate_call(text, tool_call)
        explanation = engine.explain(text, tool_call)
        assert by_the_engine(evaluation) == expected
        assert shared_by_both(explanation) == shared_by_both(evaluation)
        assert (explanation.decision, explanation.action) == (
            evaluation.decision,
            evaluation.action,
        )
        assert explanation.error == evaluation.policy_error
        assert [rule.id for rule in explanation.rules] == [rule["id"] for rule in contract["rules"]]


def rules_of(engine: Engine, text: str, tool_call: ToolCall) -> dict[str, ExplainedRule]:
    return {rule.id: rule for rule in engine.explain(text, tool_call).rules}


RULES = document(
    pre("{all: [{args.x: {exists: false}}, {args.y.z: {gt: 1}}]}", rule_id="short"),
    "{id: read, type: pre, tool: 'read*', when: {args.x: {exists: true}}, "
    "then: {action: block, message: 'not {args.x}'}}",
    "{id: resting, type: pre, enabled: false, tool: '*', when: {args.x: {exists: true}}, "
    "then: {action: ask, message: m}}",
    "{id: s, type: session, limits: {max_tool_calls: 3}, then: {action: block, message: enough}}",
    post("warn"),
)


def test_every_rule_is_listed_with_the_reason_it_did_not_apply(engine):
    rules = rules_of(engine, RULES, call("fetch", x="here"))
    assert {name: (r.applies, r.passed, r.unasked) for name, r in rules.items()} == {
        "short": (True, True, ""),
        "read": (False, None, "other_tool"),
        "resting": (False, None, "disabled"),
        "s": (True, None, "session"),
        "p": (True, None, "no_output"),
    }
    assert rules["read"].message == "not {args.x}"
    assert (rules["s"].action, rules["s"].message) == ("block", "enough")


def test_a_selectors_value_is_reported_even_if_the_library_did_not_read_it(engine):
    seen = rules_of(engine, RULES, call(x=["é", 1, None], y={"z": 7}))["short"].saw
    assert [(saw.selector, saw.value, saw.missing) for saw in seen] == [
        ("args.x", '["é", 1, null]', False),
        ("args.y.z", "7", False),
    ]


def test_null_is_a_value_and_an_absent_key_is_missing(engine):
    selectors = ["args.x", "args.y", "principal.role", "principal.claims.a", "output.text"]
    text = document(
        *(
            post("warn").replace("output.text", selector).replace("id: p", f"id: p{place}")
            for place, selector in enumerate(selectors)
        )
    )
    rules = rules_of(engine, text, ToolCall(tool_name="t", tool_args={"x": None}, principal={}))
    assert [(rule.saw[0].value, rule.saw[0].missing) for rule in rules.values()] == [
        ("null", False),
        ("", True),
        ("null", False),
        ("", True),
        ("", True),
    ]


def test_a_long_value_is_truncated(engine):
    (saw,) = rules_of(engine, document(pre("{args.x: {equals: 1}}")), call(x="é" * 9_000))["a"].saw
    assert len(saw.value) == 500
    assert saw.value.endswith("é…")


def test_server_environment_variables_are_reported_as_missing(engine, monkeypatch):
    monkeypatch.setenv("SECRET", "hunter2")
    text = document(pre("{any: [{env.SECRET: {exists: true}}, {env.PATH: {exists: true}}]}"))
    with Engine() as fresh:
        explanation = fresh.explain(text, call())
    assert [saw.missing for saw in explanation.rules[0].saw] == [True, True]
    assert "hunter2" not in str(explanation)


BOX = document(
    "{id: box, type: sandbox, tool: '*', within: [/srv], "
    "allows: {commands: [ls], domains: [a.test]}, message: m}"
)


@pytest.mark.parametrize(
    ("arguments", "paths", "command", "domains"),
    [
        ({"path": "/srv/../etc"}, ["/etc"], None, None),
        ({"command": "ls /srv"}, ["/srv"], "ls", None),
        (
            {"url": "https://a.test/x", "other": "see http://b.test"},
            None,
            None,
            ["a.test", "b.test"],
        ),
        ({"text": "nothing of this kind"}, None, None, None),
    ],
)
def test_a_sandbox_rule_reports_the_paths_commands_and_domains_it_detected(
    engine, arguments, paths, command, domains
):
    seen = {saw.selector: saw for saw in rules_of(engine, BOX, call(**arguments))["box"].saw}
    for name, sandbox in (("paths", paths), ("command", command), ("domains", domains)):
        assert seen[name].missing == (sandbox is None)
        assert seen[name].value == ("" if sandbox is None else json.dumps(sandbox))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"command": "ls; rm"}, "Several commands"), ({"path": "/srv/\0"}, "null byte")],
)
def test_arguments_that_a_sandbox_cannot_parse_are_explained(engine, arguments, words):
    (rule,) = rules_of(engine, BOX, call(**arguments)).values()
    assert not rule.passed
    assert any(words in saw.note for saw in rule.saw)


def test_a_call_that_cannot_be_evaluated_cannot_be_explained(engine):
    with pytest.raises(CallInvalid):
        engine.explain(RULES, call("a/b"))
    with pytest.raises(CallInvalid):
        engine.explain(RULES, ToolCall(tool_name="t", tool_args=["a"]))
    with pytest.raises(DocumentInvalid):
        engine.explain("kind: Ruleset", call())
    with pytest.raises(EvaluationLimit):
        engine.explain(EVIL, call(x=EVIL_TEXT))
    assert engine.explain(document(pre(ALWAYS)), call()).action == "block"
