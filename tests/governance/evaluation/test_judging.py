"""Batch evaluation: the rules that each call fails, compared with `evaluate()`."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from governance.evaluation.engine import Engine, Evaluation, NotEvaluated, ToolCall, question
from governance.evaluation.evaluator.messages import Failed, Judged
from governance.texts.dialect import Dialect
from tests.governance import generated
from tests.governance.by_the_library import by_the_library
from tests.governance.contracts.documents import ALWAYS, EVIL, EVIL_TEXT, call, document, post, pre


def posted(tool_call: ToolCall) -> bytes:
    output = None if tool_call.output is None else json.dumps(tool_call.output).encode()
    arguments = {} if tool_call.tool_args is None else tool_call.tool_args
    return question(
        tool_call.tool_name,
        tool_call.environment,
        json.dumps(arguments).encode(),
        json.dumps(tool_call.principal).encode(),
        output,
    )


def judged(engine, text, calls):
    return list(engine.judge(text, [posted(each) for each in calls]).results())


def expected(evaluation):
    """Failed rules of an evaluation, without the rest."""
    if isinstance(evaluation, NotEvaluated):
        return evaluation
    failed = [
        Failed(rule.id, rule.type, rule.observed, rule.action)
        for rule in evaluation.rules
        if not rule.passed
    ]
    return Judged(evaluation.action, failed) if failed else None


def by_the_library_alone(text, tool_call):
    decision, rules, _ = by_the_library(text, tool_call)
    return decision, [(rule, kind, observed) for rule, kind, ok, _, observed, _ in rules if not ok]


def decided(judgement):
    """The library's decision, from the rules that failed."""
    if judgement is None:
        return "allow", []
    assert isinstance(judgement, Judged)
    counting = [rule.type for rule in judgement.failed if not rule.observed]
    decision = "allow" if not counting else "warn" if set(counting) == {"post"} else "block"
    long = {"pre": "precond", "post": "postcon", "sandbox": "sandbox"}
    return decision, [(rule.id, long[rule.type], rule.observed) for rule in judgement.failed]


SOME_CALLS = st.lists(generated.CALLS, min_size=1, max_size=12)
FEW_SHAPES = st.lists(  # so that few shapes recur with different values
    st.builds(
        ToolCall,
        tool_name=st.sampled_from(["bash", "Bash", "Read"]),
        tool_args=st.fixed_dictionaries({"path": generated.TEXTS, "command": generated.TEXTS}),
        principal=st.fixed_dictionaries({"role": generated.NAMES}),
        output=generated.TEXTS,
    ),
    min_size=2,
    max_size=12,
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(generated.DOCUMENTS, SOME_CALLS | FEW_SHAPES, st.sampled_from(Dialect))
def test_every_decision_matches_the_librarys_evaluate(engine, rules, calls, dialect):
    text = generated.text_of(rules, dialect)
    result = judged(engine, text, calls)
    assert result == [expected(each) for each in engine.evaluate(text, calls)]
    in_new = generated.text_of(rules)
    assert [decided(each) for each in result if not isinstance(each, NotEvaluated)] == [
        by_the_library_alone(in_new, each)
        for each, judgement in zip(calls, result, strict=True)
        if not isinstance(judgement, NotEvaluated)
    ]


WARNS_ALL_BUT_TWO = (
    "{id: a, type: post, tool: '*', when: {not: {principal.role: {equals: two}}},"
    " then: {action: warn, message: m}}"
)
ONE_OF_EACH = {
    "an argument": pre("{args.x: {equals: 2}}"),
    "within an argument": pre("{args.deep.er: {equals: 2}}"),
    "an argument that is there": pre("{args.x: {exists: false}}"),
    "who calls": pre("{principal.role: {equals: two}}"),
    "what is claimed": pre("{principal.claims.team: {equals: two}}"),
    "whether anybody calls": pre("{principal.role: {exists: true}}"),
    "where": pre("{environment: {equals: two}}"),
    "the tool": pre("{tool.name: {equals: Bash}}"),
    "the output": post("redact"),
    "the output and who calls": WARNS_ALL_BUT_TWO,
    "a path": "{id: a, type: sandbox, tool: '*', within: [/srv], message: m}",
    "a command": "{id: a, type: sandbox, tool: '*', allows: {commands: [ls]}, message: m}",
    "a domain": "{id: a, type: sandbox, tool: '*', allows: {domains: [one.test]}, message: m}",
}  # fmt: skip


def two_of_each():
    """Calls of a few tools, each differing from its tool's first call in one field."""
    usual: dict[str, Any] = {
        "tool_name": "t",
        "tool_args": {"x": 1, "deep": {"er": 1}, "path": "/srv/a", "command": "ls", "url": "https://one.test/"},
        "principal": {"role": "one", "claims": {"team": "one"}},
        "output": "nothing",
        "environment": "one",
    }  # fmt: skip
    arguments: dict[str, Any] = usual["tool_args"]
    others: list[dict[str, Any]] = [
        {"tool_args": arguments | {"x": 2}},
        {"tool_args": arguments | {"deep": {"er": 2}}},
        {"tool_args": {name: value for name, value in arguments.items() if name != "x"}},
        {"tool_args": arguments | {"path": "/etc/passwd"}},
        {"tool_args": arguments | {"command": "rm"}},
        {"tool_args": arguments | {"url": "https://two.test/"}},
        {"principal": {"role": "two", "claims": {"team": "one"}}},
        {"principal": {"role": "one", "claims": {"team": "two"}}},
        {"principal": None},
        {"output": "a secret"},
        {"output": None},
        {"environment": "two"},
        {"tool_name": "Bash"},
    ]
    for tool in ("t", "Bash", "Read"):
        yield ToolCall(**usual | {"tool_name": tool})
        for other in others:
            yield ToolCall(**usual | {"tool_name": tool} | other)


@pytest.mark.parametrize("rule", ONE_OF_EACH.values(), ids=ONE_OF_EACH)
@pytest.mark.parametrize("first", ["as they come", "the other way round"])
def test_every_input_of_a_rule_is_evaluated_for_every_call(engine, rule, first):
    text = document(rule, more="tools: {t: {side_effect: read}, Read: {side_effect: read}}")
    calls = list(two_of_each())
    if first != "as they come":  # the order of calls of one shape must not matter
        calls.reverse()
    result = judged(engine, text, calls)
    assert result == [expected(each) for each in engine.evaluate(text, calls)]
    assert None in result or rule == ONE_OF_EACH["whether anybody calls"]
    assert any(result)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
LOOKS = document(
    pre("{args.x: {contains: a}}", rule_id="text"),
    pre("{any: [{args.x.y: {gt: 1}}, {principal.claims.team: {equals: a}}]}", rule_id="deep"),
    "{id: box, type: sandbox, tool: '*', within: [/srv], message: m}",
    post("redact"),
    more="tools: {t: {side_effect: read}}",
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.dictionaries(st.sampled_from(["x", "path", "é"]), JSON), JSON)))
def test_any_json_gets_the_same_decision_as_evaluate(engine, calls):
    questions = [
        question(
            "t", "production", json.dumps(arguments).encode(), output=json.dumps(output).encode()
        )
        for arguments, output in calls
    ]
    evaluated = engine.evaluate(
        LOOKS, [ToolCall(tool_name="t", tool_args=args, output=str(out)) for args, out in calls]
    )
    verdict = list(engine.judge(LOOKS, questions).results())
    assert verdict == [expected(each) for each in evaluated]


@pytest.mark.parametrize("bad", [call(""), call("a/b"), call("Bash", command=5)])
def test_an_invalid_call_is_reported_without_affecting_its_neighbors(engine, bad):
    text = document(pre("{args.x: {equals: 1}}"))
    result = judged(engine, text, [call(x=1), bad, call(x=2)])
    assert [type(each) for each in result] == [Judged, NotEvaluated, type(None)]
    assert result[1] == engine.evaluate(text, [bad])[0]


def test_arguments_that_the_library_strips_are_stripped_from_every_call(engine):
    text = document(pre("{args.x: {equals: 1}}"))
    calls = [call("Bash", command="ls"), call("Bash", command=5), call("Bash", command="rm")]
    assert judged(engine, text, calls) == [expected(each) for each in engine.evaluate(text, calls)]


def test_non_object_arguments_and_invalid_json_are_reported(engine):
    text = document(pre(ALWAYS))
    questions = [
        question("t", "production", b"[1]"),
        question("t", "production", b"{"),
        question("t", "production"),
    ]
    listed, broken, verdict = engine.judge(text, questions).results()
    assert isinstance(listed, NotEvaluated)
    assert isinstance(broken, NotEvaluated)
    assert isinstance(verdict, Judged)


def test_a_rule_that_fails_for_a_shape_fails_for_each_call_of_it(engine):
    text = document(
        pre("{not: {args.x: {exists: true}}}"), pre("{args.y: {equals: 1}}", rule_id="y")
    )
    result = judged(engine, text, [call(y=2), call(y=1), call(y=3), call(x=1, y=2)])
    assert [[rule.id for rule in each.failed] if each else [] for each in result] == [
        ["a"], ["a", "y"], ["a"], [],
    ]  # fmt: skip


def test_a_null_output_differs_from_no_output(engine):
    text = document(post("warn").replace("secret", '"None"'))
    questions = [question("t", "production"), question("t", "production", output=b"null")]
    none, nothing = engine.judge(text, questions).results()
    assert (none, nothing) == (None, Judged("warn", [Failed("p", "post", False, "warn")]))  # noqa: FBT003 - as it is sent


def test_a_runaway_call_does_not_affect_other_results(engine):
    texts = ["aaa", "b", EVIL_TEXT, "aaa"]
    result = judged(engine, EVIL, [call(x=text) for text in texts])
    assert [type(each) for each in result] == [Judged, type(None), NotEvaluated, Judged]


def test_a_process_that_dies_is_replaced_and_all_calls_are_evaluated():
    text = document(pre("{args.x: {equals: 1}}"))
    calls = [call(x=number % 2, text="x" * 1_000) for number in range(3_000)]
    with Engine() as own:
        asker = own.judge(text, [posted(each) for each in calls])
        assert own._process is not None
        own._process._child.kill()
        asker.push()
        items = list(asker.results())
    assert [each is not None for each in items] == [number % 2 == 1 for number in range(3_000)]


def test_a_large_prefetched_batch_is_sent_with_repeated_pushes(engine):
    """More data than a pipe holds: each push sends the rest."""
    text = document(pre("{args.x: {equals: 1}}"))
    evaluation = engine.evaluate_call(text, call(x=1))
    assert isinstance(evaluation, Evaluation)
    asker = engine.judge(text, [posted(call(x=1, text="x" * 10_000)) for _ in range(300)])
    assert engine._process is not None
    while engine._process._unsent:
        asker.push()
    assert [type(each) for each in asker.results()] == [Judged] * 300
