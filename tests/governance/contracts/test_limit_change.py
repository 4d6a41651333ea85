"""Changing a session limit in the YAML of a contract."""

import pytest

from governance.contracts.domain.limit_change import with_limit
from governance.core.errors import InvalidInput
from governance.evaluation.engine import validate
from tests.governance.contracts.documents import ALWAYS, document, pre

FLOW = "{id: s, type: session, limits: {max_tool_calls: 5}, then: {action: block, message: m}}"
BLOCK = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: d}
defaults: {mode: enforce}
rules:
  # The first rule.
  - id: a
    type: pre
    tool: shell
    when: {args.x: {exists: true}}
    then: {action: block, message: denied}
  - id: s
    type: session
    limits:
      max_tool_calls: 50  # per session
      max_calls_per_tool: {mail: 3}
    then: {action: block, message: enough}
"""
OLD = """\
apiVersion: edictum/v1
kind: ContractBundle
metadata: {name: d}
defaults: {mode: enforce}
contracts:
  - id: a
    type: pre
    tool: shell
    when: {args.x: {exists: true}}
    then: {effect: deny, message: denied}
"""


def limits_of(text):
    read = validate(text)
    assert read.valid, read.errors
    return [rule.limits for rule in read.session_rules]


@pytest.mark.parametrize(
    ("text", "name", "limits"),
    [
        (document(FLOW), "max_tool_calls", [{"max_tool_calls": 20}]),
        (document(FLOW), "max_attempts", [{"max_attempts": 20, "max_tool_calls": 5}]),
        (document(pre(ALWAYS)), "max_attempts", [{"max_attempts": 20}]),
        (
            document(FLOW, FLOW.replace("id: s", "id: t")),
            "max_tool_calls",
            [{"max_tool_calls": 20}] * 2,
        ),
        (BLOCK, "max_tool_calls", [{"max_tool_calls": 20, "max_calls_per_tool": {"mail": 3}}]),
        (
            BLOCK,
            "max_calls_per_tool:mail",
            [{"max_tool_calls": 50, "max_calls_per_tool": {"mail": 20}}],
        ),
        (
            BLOCK,
            "max_attempts",
            [{"max_attempts": 20, "max_tool_calls": 50, "max_calls_per_tool": {"mail": 3}}],
        ),
        (OLD, "max_attempts", [{"max_attempts": 20}]),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_changing_a_limit_produces_a_valid_contract_with_the_limit(text, name, limits, line_end):
    assert limits_of(with_limit(text.replace("\n", line_end), name, 20)) == limits


def test_changing_a_limit_preserves_the_rest_of_the_yaml():
    assert with_limit(BLOCK, "max_tool_calls", 20) == BLOCK.replace("50", "20")
    lines = with_limit(BLOCK, "max_attempts", 20).splitlines()
    assert [line for line in lines if line not in BLOCK.splitlines()] == ["      max_attempts: 20"]


def test_a_disabled_session_rule_is_not_changed():
    off = FLOW.replace("type: session", "type: session, enabled: false")
    assert {"max_tool_calls": 20} in limits_of(
        with_limit(document(off, pre(ALWAYS)), "max_tool_calls", 20)
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_tool_calls", 0),
        ("max_tool_calls", 10_001),
        ("x", 5),
        ("", 5),
        ("max_calls_per_tool", 5),
    ],
)
def test_an_unknown_limit_is_rejected(name, value):
    with pytest.raises(InvalidInput):
        with_limit(BLOCK, name, value)


def test_changing_the_limit_of_a_tool_without_one_is_rejected():
    with pytest.raises(InvalidInput, match="no limit on calls of `shell`"):
        with_limit(BLOCK, "max_calls_per_tool:shell", 5)
