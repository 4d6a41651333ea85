"""Lint warnings: valid contracts that probably do not do what their author meant."""

import pytest

from governance.core.errors import Problem
from governance.lint.surprises import MOST, lint
from governance.texts.document import read_document
from tests.governance.contracts.documents import ALWAYS, document, pre

TOOLS = ("crm_read", "crm_write", "query", "Bash")


def session(limits: str, *, rule_id: str = "s", more: str = "") -> str:
    return (
        f"{{id: {rule_id}, type: session, limits: {limits}, {more}"
        "then: {action: block, message: m}}"
    )


def hiding(tool: str, action: str = "redact") -> str:
    return (
        f"{{id: h, type: post, tool: {tool}, when: {{output.text: {{contains: x}}}}, "
        f"then: {{action: {action}, message: m}}}}"
    )


def calling(tool: str) -> str:
    return (
        f"{{id: a, type: pre, tool: {tool}, when: {ALWAYS}, then: {{action: block, message: m}}}}"
    )


def problems(*rules: str, tools=None, mode: str = "enforce", more: str = "") -> tuple[Problem, ...]:
    return lint(read_document(document(*rules, mode=mode, more=more)), tools=tools)


SURPRISES = {
    "a selector that nobody resolves": (
        pre("{nothing.like.it: {exists: true}}"),
        "rules[0].when.nothing.like.it",
        "`nothing.like.it` is not a selector, so this condition never matches.",
        "",
    ),
    "a mistyped selector": (
        pre("{not: {arg.x: {exists: true}}}"),
        "rules[0].when.not.arg.x",
        "`arg.x` is not a selector, so this condition never matches. Did you mean `args.x`?",
        "args.x",
    ),
    "a selector of another product": (
        pre("{any: [{arguments.x: {exists: true}}]}"),
        "rules[0].when.any[0].arguments.x",
        "`arguments.x` is not a selector, so this condition never matches. Did you mean `args.x`?",
        "args.x",
    ),
    "a value of the agent's machine": (
        pre("{env.REGION: {equals: eu}}"),
        "rules[0].when.env.REGION",
        "`env.REGION` has a value only in the agent.",
        "",
    ),
    "a message that names nothing": (
        pre(ALWAYS, message="No {arg.path} for you, {args.path}"),
        "rules[0].then.message",
        "`{arg.path}` is not a selector, so the message shows it literally. "
        "Did you mean `{args.path}`?",
        "",
    ),
    "a limit on attempts": (
        session("{max_attempts: 50}"),
        "rules[0].limits.max_attempts",
        "`max_attempts: 50` lets 49 calls pass; attempt number 50 is denied.",
        "",
    ),
    "a limit above the agents' own": (
        session("{max_tool_calls: 900}"),
        "rules[0].limits.max_tool_calls",
        "Agents stop at 200 regardless of this limit (`max_tool_calls: 900`).",
        "200",
    ),
    "a limit of a tool above that of all": (
        session("{max_tool_calls: 10, max_calls_per_tool: {query: 20}}"),
        "rules[0].limits.max_calls_per_tool.query",
        "This limit is never hit: all calls together stop at 10.",
        "",
    ),
    "a limit of a tool above the agents' own": (
        session("{max_calls_per_tool: {query: 300}}"),
        "rules[0].limits.max_calls_per_tool.query",
        "This limit is never hit: all calls together stop at 200.",
        "",
    ),
    "a pattern for a tool's limit": (
        session("{max_calls_per_tool: {'crm_*': 9}}"),
        "rules[0].limits.max_calls_per_tool.crm_*",
        "`crm_*` is read as an exact tool name. Patterns don't work here.",
        "",
    ),
    "an observed limit": (
        session("{max_tool_calls: 9}", more="mode: observe, "),
        "rules[0].mode",
        "Agents ignore `observe` on a session rule: it denies.",
        "enforce",
    ),
    "a tool that nobody ever called": (
        calling("crm_raed"),
        "rules[0].tool",
        "`crm_raed` hasn't been called by any agent yet. Did you mean `crm_read`?",
        "crm_read",
    ),
    "a pattern that meets no tool": (
        calling("'mail_*'"),
        "rules[0].tool",
        "No tool called so far matches `mail_*`.",
        "",
    ),
    "a limit of a tool that nobody ever called": (
        session("{max_calls_per_tool: {qeury: 9}}"),
        "rules[0].limits.max_calls_per_tool.qeury",
        "`qeury` hasn't been called by any agent yet. Did you mean `query`?",
        "query",
    ),
    "several tools in one pattern": (
        calling("crm_read|crm_write"),
        "rules[0].tool",
        "`crm_read|crm_write` is one pattern, not a list. It supports `*`, `?` and `[…]` only. "
        "Write a rule for each tool.",
        "",
    ),
    "an output that is not hidden": (
        hiding("query"),
        "rules[0].then.action",
        "Agents only warn here: they hide outputs of tools that `tools` lists with the side effect "
        "`read` or `pure`.",
        "",
    ),
    "a time to answer where nobody is asked": (
        "{id: a, type: pre, tool: query, when: "
        + ALWAYS
        + ", then: {action: block, message: m, timeout: 60}}",
        "rules[0].then.timeout",
        "`timeout` has no effect: the action isn't `ask`.",
        "",
    ),
}


@pytest.mark.parametrize("row", SURPRISES.values(), ids=SURPRISES.keys())
def test_a_surprising_rule_is_reported_with_its_path_and_line(row):
    rule, path, message, fix = row
    (problem,) = problems(rule, tools=TOOLS)
    assert (problem.path, problem.message, problem.fix) == (path, message, fix)
    assert problem.line == 7


FINE = {
    "every selector there is": pre(
        "{all: [{args.a.b: {exists: true}}, {principal.claims.x: {exists: true}}, "
        "{principal.role: {equals: a}}, {environment: {equals: a}}, {tool.name: {equals: a}}]}"
    ),
    "a pattern that meets a tool": calling("'crm_*'"),
    "a pattern that meets all": calling("'*'"),
    "limits that can be reached": session("{max_tool_calls: 50, max_calls_per_tool: {query: 20}}"),
    "a warning about an output": hiding("query", "warn"),
    "a command, whose effect is read from it": hiding("Bash"),
    "braces that name no selector": pre(ALWAYS, message="Use {} or {this thing}, {that}"),
}


@pytest.mark.parametrize("rule", FINE.values(), ids=FINE.keys())
def test_an_unsurprising_rule_has_no_warning(rule):
    assert problems(rule, tools=TOOLS) == ()


def test_redacting_the_output_of_a_read_only_tool_has_no_warning():
    assert problems(hiding("'crm_*'"), more="tools: {crm_read: {side_effect: read}}") == ()
    assert problems(hiding("'crm_*'"), more="tools: {crm_read: {side_effect: write}}")


def test_a_pattern_in_the_tools_section_is_a_warning():
    (problem,) = problems(calling("'*'"), more="tools: {'crm_*': {side_effect: read}}")
    assert problem.message == ("`crm_*` is read as an exact tool name. Patterns don't work here.")


def test_a_tool_named_only_in_the_tools_section_has_no_warning():
    more = "tools: {not_there_yet: {side_effect: read}}"
    assert problems(calling("'*'"), tools=TOOLS, more=more) == ()


@pytest.mark.parametrize("tools", [None, ()])
def test_without_a_tool_list_no_tool_name_has_a_warning(tools):
    assert problems(calling("anything"), tools=tools) == ()


def test_a_limit_above_another_rules_limit_is_reported_as_never_hit():
    first, second = problems(
        session("{max_tool_calls: 90, max_attempts: 40}"),
        session("{max_tool_calls: 50}", rule_id="t"),
    )[1:]
    assert first.message.startswith("`max_attempts: 40` lets 39")
    assert (second.line, second.message) == (
        8,
        "This limit is never hit: `max_attempts: 40` denies call 40 before it.",
    )


def test_a_disabled_rule_does_not_undercut_a_limit():
    off = session("{max_tool_calls: 5}", rule_id="t", more="enabled: false, ")
    assert problems(session("{max_tool_calls: 50}"), off) == ()


def test_a_session_rule_in_an_observe_mode_contract_has_a_warning():
    (problem,) = problems(session("{max_tool_calls: 50}"), mode="observe")
    assert problem.message.startswith("This denies although the contract is in observe mode")


def test_warnings_use_the_format_of_the_source():
    new = read_document(document(session("{max_tool_calls: 900}"), pre("{arg.x: {gt: 1}}")))
    old = read_document(new.twin)
    assert [problem.path for problem in lint(old, tools=None)] == [
        "contracts[0].limits.max_tool_calls",
        "contracts[1].when.arg.x",
    ]
    assert [each.message for each in lint(old, tools=None)] == [
        each.message for each in lint(new, tools=None)
    ]


def test_a_fix_is_quoted_as_yaml():
    (problem,) = problems(calling("crm_raed"), tools=["crm read"])
    assert problem.fix == "'crm read'"
    assert problems(calling("nul"), tools=["null"])[0].fix == "'null'"


def test_excess_warnings_are_summarized_in_one():
    result = problems(*[pre("{a.x: {gt: 1}}", rule_id=f"r{n}") for n in range(MOST + 5)])
    assert len(result) == MOST + 1
    assert result[-1].message == "There are 5 more warnings like these."


def test_an_incomplete_contract_is_linted_without_errors():
    for text in ("rules: 5", "rules: [5, {limits: 4, type: session}, {when: {all: 3}, then: []}]"):
        assert lint(read_document(text), tools=TOOLS) == ()
