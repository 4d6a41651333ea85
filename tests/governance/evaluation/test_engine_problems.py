"""Problems of a document, with messages and positions, as the editor displays them."""

import pytest

from governance.evaluation.engine import Engine
from tests.governance.contracts.documents import ALWAYS, document, pre


def problems(engine: Engine, text: str) -> list[tuple[int | None, int | None, str, str]]:
    errors = engine.validate(text).errors
    return [(each.line, each.column, each.path, each.message) for each in errors]


def test_a_mistyped_key_is_one_problem_with_its_position_and_a_suggestion(engine):
    text = document(
        "id: a\n    type: pre\n    tool: x\n    when: {args.x: {exists: true}}\n"
        "    then:\n      acton: ask\n      message: m"
    )
    assert problems(engine, text) == [
        (12, 7, "rules[0].then.acton", "Unknown key `acton`. Did you mean `action`?")
    ]


def test_problems_are_reported_in_the_format_of_the_document(engine):
    text = (
        "apiVersion: edictum/v1\nkind: ContractBundle\nmetadata: {name: d}\n"
        "defaults: {mode: enforce}\ncontracts:\n"
        "  - {id: a, type: pre, tool: x, when: {a.x: {gt: 1}}, then: {effect: stop, message: m}}\n"
        "  - {id: b, type: pre, tool: x, when: {a.x: {gt: 1}}, then: {message: m}}\n"
    )
    assert problems(engine, text) == [
        (
            6,
            70,
            "contracts[0].then.effect",
            "`stop` isn't allowed here: write `deny` or `approve`.",
        ),
        (7, 61, "contracts[1].then", "The required key `effect` is missing."),
    ]


@pytest.mark.parametrize(
    ("kind", "rules", "key", "meant"),
    [("Ruleset", "rules", "effect", "action"), ("ContractBundle", "contracts", "action", "effect")],
)
def test_a_document_that_mixes_both_formats_is_rejected(engine, kind, rules, key, meant):
    then = f"then: {{{key}: block, message: m}}"
    text = (
        f"apiVersion: edictum/v1\nkind: {kind}\nmetadata: {{name: d}}\n"
        "defaults: {mode: enforce}\n"
        f"{rules}: [{{id: a, type: pre, tool: x, when: {ALWAYS}, {then}}}]\n"
    )
    (problem,) = engine.validate(text).errors
    assert problem.message == f"Unknown key `{key}`. Did you mean `{meant}`?"


PROBLEMS = {
    "a name with capitals": ("metadata: {name: Big}", "metadata.name", "is not a valid name"),
    "an unknown mode": ("defaults: {mode: warn}", "defaults.mode", "`enforce` or `observe`"),
    "a key from nowhere": ("extends: other", "extends", "Unknown key"),
    "no rules": ("rules: []", "rules", "`rules` is empty"),
    "a rule that is a text": ("rules: [a]", "rules[0]", "not an object"),
    "a date that does not exist": ("metadata: {name: 2026-99-99}", "metadata.name", "in quotes"),
    "an integer without end": (f"metadata: {{name: {'9' * 5000}}}", "metadata.name", "in quotes"),
    "a tag that nobody knows": ("metadata: {name: !what d}", "metadata.name", "in quotes"),
}


@pytest.mark.parametrize("row", PROBLEMS.values(), ids=PROBLEMS.keys())
def test_a_problem_outside_the_rules_is_reported(engine, row):
    line, path, words = row
    key = line.partition(":")[0]
    lines = [each for each in document(pre(ALWAYS)).splitlines() if each]
    result = "\n".join(each for each in lines if not each.startswith((key, "  ")))
    rest = "" if key == "rules" else "\n".join(each for each in lines if each.startswith("  "))
    text = f"{line}\n{result}\n{rest}\n"
    assert any(
        problem.path == path and words in problem.message and problem.line == 1
        for problem in engine.validate(text).errors
    )


RULES = {
    "no type": ("{id: a}", "rules[0]", "`type` is missing"),
    "a type from nowhere": ("{id: a, type: prep}", "rules[0].type", "`pre`, `post`"),
    "an unknown operator": (
        pre("{args.x: {equal: 1}}"),
        "rules[0].when.args.x.equal",
        "Did you mean `equals`?",
    ),
    "two operators": (pre("{args.x: {gt: 1, lt: 5}}"), "rules[0].when.args.x", "one operator"),
    "a condition without operator": (
        pre("{args.x: 5}"),
        "rules[0].when.args.x",
        "write `equals: 5`",
    ),
    "a nested condition": (
        pre("{all: [{not: {any: []}}]}"),
        "rules[0].when.all[0].not.any",
        "`any` is empty",
    ),
    "a bad pattern": (
        pre("{not: {args.x: {matches: '(a'}}}"),
        "rules[0].when.not.args.x.matches",
        "Invalid regular expression",
    ),
    "a bad pattern among several": (
        pre("{args.x: {matches_any: [a, '*']}}"),
        "rules[0].when.args.x.matches_any[1]",
        "Invalid regular expression",
    ),
    "output before the tool ran": (
        pre("{output.text: {contains: a}}"),
        "rules[0].when.output.text",
        "`post` rule",
    ),
    "a boolean for a message": (
        "{id: a, type: sandbox, tool: x, within: [/a], message: no}",
        "rules[0].message",
        "not a string",
    ),
    "a message too long": (pre(ALWAYS, message="m" * 501), "rules[0].then.message", "at most 500"),
    "a limit of nothing": (
        "{id: a, type: session, limits: {max_attempts: 0}, then: {action: block, message: m}}",
        "rules[0].limits.max_attempts",
        "at least 1",
    ),
    "no limit": (
        "{id: a, type: session, limits: {}, then: {action: block, message: m}}",
        "rules[0].limits",
        "`max_tool_calls`, `max_attempts` or",
    ),
    "a sandbox of nothing": (
        "{id: a, type: sandbox, tool: x, message: m}",
        "rules[0]",
        "`within` or `allows`",
    ),
    "a sandbox with tool and tools": (
        "{id: a, type: sandbox, tool: x, tools: [y], within: [/a], message: m}",
        "rules[0]",
        "Only one",
    ),
    "exceptions from nothing": (
        "{id: a, type: sandbox, tool: x, allows: {commands: [a]}, not_within: [/a], message: m}",
        "rules[0].not_within",
        "without `within`",
    ),
    "domains denied where none are allowed": (
        "{id: a, type: sandbox, tool: x, allows: {commands: [a]}, "
        "not_allows: {domains: [a]}, message: m}",
        "rules[0].not_allows.domains",
        "without `allows.domains`",
    ),
}


@pytest.mark.parametrize("row", RULES.values(), ids=RULES.keys())
def test_a_problem_of_a_rule_is_reported(engine, row):
    rule, path, words = row
    (problem,) = engine.validate(document(rule)).errors
    assert problem.path == path
    assert words in problem.message
    assert problem.line == 7


def test_a_duplicate_id_is_reported_at_its_second_use(engine):
    (problem,) = engine.validate(document(pre(ALWAYS), pre(ALWAYS))).errors
    assert (problem.path, problem.line) == ("rules[1].id", 8)


def test_all_problems_are_reported_together_in_line_order(engine):
    text = document(pre("{args.x: {like: 1}}"), pre("{args.x: {matches: '('}}", rule_id="b"))
    assert [line for line, *_ in problems(engine, text)] == [7, 8]


def test_invalid_yaml_is_reported_without_the_library(engine):
    validation = engine.validate("a: 1\na: 2\n")
    assert (validation.errors[0].line, validation.dialect) == (2, None)
