"""The library's decisions, from a process shared by many callers."""

import os
import signal
import threading
from pathlib import Path

import edictum
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.core.errors import CallInvalid
from governance.evaluation.engine import ToolCall
from governance.texts.dialect import Dialect
from tests.governance.by_the_library import by_the_engine, by_the_library
from tests.governance.contracts.documents import ALWAYS, call, document, post, pre
from tests.governance.dialects import to_old

TEMPLATES = sorted((Path(edictum.__file__).parent / "yaml_engine" / "templates").glob("*.yaml"))

CALLS = [
    call("read_file", path="/home/.env"),
    call("read_file", path="/workspace/a.txt"),
    call("bash", command="rm -rf /"),
    call("bash", command="ls", output="123-45-6789"),
    call("exec", command="ls"),
    call("write_file", path="/etc/passwd", content="x"),
    call("mcp_search", output="nothing"),
    ToolCall(
        tool_name="deploy_service",
        tool_args={"service": "a"},
        principal={"role": "sre", "ticket_ref": "T-1", "claims": {"team": "a"}},
        output="ok",
    ),
    ToolCall(tool_name="deploy_service", environment="staging"),
]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_every_decision_matches_the_library(engine, template):
    text = template.read_text()
    results = engine.evaluate(text, CALLS)
    assert [by_the_engine(result) for result in results] == [
        by_the_library(text, tool_call) for tool_call in CALLS
    ]


MIXED = document(
    pre("{args.x: {gt: 5}}", rule_id="number"),
    pre("{all: [{args.x: {contains: a}}, {not: {args.y: {exists: true}}}]}", rule_id="text"),
    pre("{any: [{args.y: {in: [1, a, null]}}, {args.z.deep: {equals: true}}]}", rule_id="any"),
    "{id: box, type: sandbox, tool: '*', within: [/srv], message: 'outside {args.path}'}",
    post("warn"),
)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ARGUMENTS = st.dictionaries(st.sampled_from(["x", "y", "path"]), VALUES) | st.fixed_dictionaries(
    {"z": st.dictionaries(st.just("deep"), VALUES)}
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(ARGUMENTS, st.none() | st.text() | st.just("a secret"))
def test_any_arguments_and_output_get_the_librarys_decision(engine, arguments, output):
    tool_call = ToolCall(tool_name="t", tool_args=arguments, output=output)
    (result,) = engine.evaluate(MIXED, [tool_call])
    assert by_the_engine(result) == by_the_library(MIXED, tool_call)


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_both_formats_are_valid_and_make_the_same_decisions(engine, template):
    text = template.read_text()
    old = yaml.safe_dump(to_old(yaml.safe_load(text)), sort_keys=False)
    in_new, in_old = engine.validate(text), engine.validate(old)
    assert (in_new.valid, in_new.dialect) == (True, Dialect.NEW)
    assert (in_old.valid, in_old.dialect) == (True, Dialect.OLD)
    assert in_old.session_rules == in_new.session_rules
    assert engine.evaluate(old, CALLS) == engine.evaluate(text, CALLS)


def test_validation_returns_the_name_rule_count_and_session_rules(engine):
    limits = "{id: s, type: session, limits: {max_tool_calls: 5, max_calls_per_tool: {a: 2}}, "
    off = "enabled: false, limits: {max_tool_calls: 1}, then: {action: block, message: m}}"
    text = document(
        pre(ALWAYS),
        limits + "then: {action: block, message: m}}",
        "{id: rest, type: session, " + off,
        mode="observe",
    )
    validation = engine.validate(text)
    assert (validation.name, validation.rules, validation.errors) == ("d", 3, ())
    (rule,) = validation.session_rules
    assert rule.id == "s"
    assert rule.limits == {"max_tool_calls": 5, "max_calls_per_tool": {"a": 2}}
    assert rule.mode == "observe"


@pytest.mark.parametrize(
    ("rules", "action"),
    [
        ([pre(ALWAYS, action="ask")], "ask"),
        ([pre(ALWAYS, action="ask"), pre(ALWAYS, rule_id="b")], "ask"),
        ([pre(ALWAYS), pre(ALWAYS, action="ask", rule_id="b")], "block"),
        (["{id: s, type: sandbox, tool: '*', within: [/a], outside: ask, message: m}"], "ask"),
        ([post("warn")], "warn"),
        ([post("redact", tool="reader")], "redact"),
        ([post("block", tool="reader")], "block"),
        ([pre("{tool.name: {equals: other}}")], "allow"),
    ],
)
def test_the_action_is_the_one_in_the_contract(engine, rules, action):
    text = document(*rules, more="tools: {reader: {side_effect: read}}")
    tool_call = call("reader", path="/b", output="a secret")
    assert engine.evaluate_call(text, tool_call).action == action


def test_output_is_redacted_only_for_tools_without_side_effects(engine):
    text = document(post("redact"), more="tools: {reader: {side_effect: read}}")
    reader, writer = call("reader", output="secret"), call("writer", output="secret")
    assert engine.evaluate_call(text, reader).action == "redact"
    assert engine.evaluate_call(text, writer).action == "warn"


def test_an_observe_mode_rule_denies_nothing(engine):
    evaluation = engine.evaluate_call(document(pre(ALWAYS), mode="observe"), call())
    assert (evaluation.decision, evaluation.action) == ("allow", "allow")
    assert evaluation.rules[0].observed


@pytest.mark.parametrize(
    "bad",
    [
        call("", x=1),
        call("a/b"),
        ToolCall(tool_name="t", tool_args=["not", "an", "object"]),
        ToolCall(tool_name="t", tool_args={"x": object()}),
        ToolCall(tool_name="t", tool_args={"x": 10**5000}),
    ],
)
def test_an_invalid_call_is_reported_without_affecting_its_neighbors(engine, bad):
    text = document(pre(ALWAYS))
    before, named, after = engine.evaluate(text, [call(), bad, call()])
    assert (before.decision, named.code, after.decision) == ("block", "invalid_call", "block")
    with pytest.raises(CallInvalid):
        engine.evaluate_call(text, bad)


@pytest.mark.parametrize("value", [10**30, float("nan"), "\ud800", "\0", None, {"a": [1]}])
def test_any_json_value_reaches_the_library(engine, value):
    text = document(pre("{args.x: {exists: true}}", message="{args.x}"))
    assert engine.evaluate_call(text, call(x=value)).decision == (
        "allow" if value is None else "block"
    )


def test_a_killed_process_is_replaced(engine):
    text = document(pre(ALWAYS))
    engine.evaluate_call(text, call())
    before = engine.pid
    os.kill(before, signal.SIGKILL)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    assert engine.evaluate_call(text, call()).decision == "block"
    assert engine.pid != before


def test_more_documents_than_the_cache_holds_are_evaluated(engine):
    texts = [document(pre(f"{{args.n: {{equals: {n}}}}}")) for n in range(20)]
    for _ in range(2):
        assert [engine.evaluate_call(text, call(n=7)).decision for text in texts] == [
            "block" if n == 7 else "allow" for n in range(20)
        ]


def test_calls_in_several_batches_preserve_their_order(engine):
    text = document(pre("{args.n: {gte: 300}}"))
    results = engine.evaluate(text, [call(n=n) for n in range(600)])
    assert [result.decision for result in results] == ["allow"] * 300 + ["block"] * 300


def test_concurrent_threads_get_their_own_results(engine):
    wrong: list[int] = []

    def ask(number: int) -> None:
        text = document(pre(f"{{args.n: {{equals: {number}}}}}", message=f"number {number}"))
        for _ in range(10):
            if engine.evaluate_call(text, call(n=number)).rules[0].message != f"number {number}":
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_forked_server_starts_its_own_process(engine):
    text = document(pre(ALWAYS))
    engine.evaluate_call(text, call())
    forked = os.fork()
    if forked == 0:
        decision = engine.evaluate_call(text, call()).decision
        mine = engine.pid
        engine.close()
        os._exit(0 if decision == "block" and mine is not None else 1)
    assert os.waitpid(forked, 0)[1] == 0
    assert engine.evaluate_call(text, call()).decision == "block"
