"""YAML of a check: required fields, size limits, and positions of problems."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.checks.language.fields import NAME
from governance.checks.language.text import MAX_BYTES, check_text
from tests.governance.checks.language.strategies import as_yaml, documents
from tests.governance.checks.language.written import HEAD, nothing_else, only_problem, read

RULE = "{id: first, when: {result: {equals: 1}}, verdict: failure}"
PARTS = {
    "apiVersion": "edictum-site/v1",
    "kind": "SuccessCheck",
    "metadata": "{name: mine}",
    "otherwise": "success",
}


def text_with(**parts: str) -> str:
    return "".join(f"{key}: {value}\n" for key, value in {**PARTS, **parts}.items() if value)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(documents(), st.sampled_from([True, False, None]))
def test_every_valid_document_is_compiled(document, flow):
    checked = check_text(as_yaml(document, flow=flow), included=nothing_else, version=7)
    assert checked.problems == ()
    assert checked.compiled
    ids = [rule["id"] for rule in checked.compiled["rules"]]
    assert ids == [rule["id"] for rule in document["rules"]]
    assert checked.compiled["version"] == 7
    assert checked.compiled["otherwise"] == document["otherwise"]
    assert checked.name == document["metadata"]["name"]
    assert checked.description == document["metadata"].get("description", "")
    assert json.loads(json.dumps(checked.compiled, allow_nan=False)) == checked.compiled


def test_a_check_without_rules_compiles_to_its_otherwise_verdict():
    checked = read("")
    assert checked.compiled == {
        "format": 1,
        "name": "mine",
        "version": 0,
        "otherwise": "success",
        "automata": [],
        "rules": [],
    }


def test_every_field_of_a_rule_is_compiled():
    checked = read(
        "rules:\n"
        '  - {id: http, tool: "http_*", when: {result.status: {gte: 400}},'
        " verdict: unknown, reason: HTTP, label: retryable}\n"
    )
    assert checked.compiled
    (rule,) = checked.compiled["rules"]
    assert rule == {
        "id": "http",
        "of": None,
        "of_version": None,
        "tool": "http_*",
        "when": {
            "select": [{"base": "result", "steps": [["key", "status"]]}],
            "text": "result.status",
            "op": "gte",
            "value": 400,
        },
        "verdict": "unknown",
        "reason": ["HTTP"],
        "label": "retryable",
    }


def rule_with(**parts: str) -> str:
    fields = {"id": "a", "when": "{result: {equals: 1}}", "verdict": "failure", **parts}
    lines = [f"{key}: {value}" for key, value in fields.items() if value]
    return HEAD + "rules:\n  - " + "\n    ".join(lines) + "\n"


WRONG = {
    "nothing": ("", "The text is empty", 1, 1),
    "a comment alone": ("# soon\n", "The text is empty", 1, 1),
    "a list": ("- a", "A success check has keys", 1, 1),
    "a word": ("SuccessCheck", "A success check has keys", 1, 1),
    "a tab": ("a:\n\tb: 1", "can't be indented with tabs", 2, 1),
    "a byte order mark": ("\ufeffa: 1", "byte order mark", 1, 1),
    "a NUL": ("a: \0", "A NUL", 1, 4),
    "a NUL that is escaped": ('a: "\\0"', "NUL characters", 1, 4),
    "bytes that are no text": (b"a: \xff", "not UTF-8", 1, 4),
    "lone surrogates": ('a: "\\ud800"', "A lone surrogate", 1, 7),
    "a break that some count": ("a: b\u2028c", "\\u2028", 1, 5),
    "an alias": ("a: *b", "Aliases", 1, 4),
    "an anchor": ("a: &b 1", "Anchors", 1, 4),
    "a tag": ("a: !!str 5", "Tags", 1, 4),
    "a tag of a list": ("a: !!set [b]", "Tags", 1, 4),
    "a key twice": ("kind: a\nkind: b", "is defined twice", 2, 1),
    "two documents": (HEAD + "---\na: 1", "only one document", 5, 1),
    "no version": (text_with(apiVersion=""), "`apiVersion: edictum-site/v1` is missing", 1, 1),
    "another version": (text_with(apiVersion="edictum/v1"), "`apiVersion` must be", 1, 13),
    "another kind": (text_with(kind="Ruleset"), "`kind` must be `SuccessCheck`", 2, 7),
    "no metadata": (text_with(metadata=""), "`metadata` is missing", 1, 1),
    "no name": (text_with(metadata="{description: a}"), "`name` is missing", 3, 11),
    "metadata that is a word": (text_with(metadata="mine"), "`metadata` has keys", 3, 11),
    "a name with capitals": (text_with(metadata="{name: Mine}"), "lowercase letters", 3, 18),
    "a name with a dot": (text_with(metadata="{name: a.py}"), "lowercase letters", 3, 18),
    "a name that is a number": (text_with(metadata="{name: 5}"), "Put this text in quotes", 3, 18),
    "no otherwise": (text_with(otherwise=""), "`otherwise` is missing", 1, 1),
    "an unknown verdict": (text_with(otherwise="sucess"), "Did you mean `success`?", 4, 12),
    "not a verdict": (text_with(otherwise="~"), "`~` is not a verdict", 4, 12),
    "an empty verdict": (HEAD.replace(" success", ""), "Enter a verdict", 4, 11),
    "an unknown key": (HEAD + "rule: []", "Unknown key `rule`. Did you mean `rules`?", 5, 1),
    "a wholly unknown key": (HEAD + "x: 1", "Use one of `apiVersion`", 5, 1),
    "a key of contracts": (
        HEAD + "default: x",
        "Unknown key `default`. Did you mean `otherwise`?",
        5,
        1,
    ),
    "rules that are no list": (HEAD + "rules: {}", "Start each item with `-`", 5, 8),
    "a rule that is a word": (HEAD + "rules: [a]", "A rule has keys", 5, 9),
    "a rule without a name": (rule_with(id=""), "`id` is missing", 6, 5),
    "a rule without a condition": (rule_with(when=""), "`when` is missing", 6, 5),
    "a rule without a verdict": (rule_with(verdict=""), "`verdict` is missing", 6, 5),
    "a rule with a taken name": (rule_with(id="otherwise"), "Choose another name", 6, 9),
    "a verdict of a rule": (rule_with(verdict="fail"), "Did you mean `failure`?", 8, 14),
    "the last verdict for a rule": (rule_with(verdict="default"), "not a verdict", 8, 14),
    "a label": (rule_with(label="partly"), "Did you mean `partial`?", 9, 12),
    "a tool that is a list": (rule_with(tool="[a, b]"), "has one tool or glob", 9, 11),
    "a tool with a choice": (rule_with(tool="'http_{a,b}'"), "`{` has no effect", 9, 11),
    "a tool without a name": (rule_with(tool="''"), "1 to 200 characters", 9, 11),
    "a reason that is a number": (rule_with(reason="5"), "Put this text in quotes", 9, 13),
    "a reason left open": (rule_with(reason="'a {result'"), "never closed", 9, 16),
    "a key of a rule": (
        rule_with(then="{}"),
        "Unknown key `then`. Did you mean `verdict`?",
        9,
        5,
    ),
    "a description": (
        text_with(metadata=f"{{name: a, description: {'x' * 2_001}}}"),
        "at most 2,000",
        3,
        34,
    ),
}


@pytest.mark.parametrize(("text", "words", "line", "column"), WRONG.values(), ids=WRONG)
def test_a_problem_is_reported_at_its_line_and_column(text, words, line, column):
    checked = check_text(text, included=nothing_else)
    problem = only_problem(checked)
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)
    assert checked.compiled is None


def test_a_duplicate_rule_id_is_reported():
    checked = read(f"rules:\n  - {RULE}\n  - {RULE}\n")
    problem = only_problem(checked)
    assert problem.message == "The rule in line 6 already has the id `first`."
    assert (problem.line, problem.column) == (7, 10)


def test_all_problems_are_reported_together_in_line_order():
    checked = read(
        "rules:\n"
        "  - {id: A, when: {result.a: {equal: 1}}, verdict: no}\n"
        "  - {id: b, when: {results: {equals: 1}}, verdict: bad, label: slow}\n"
        "examples:\n"
        "  - {verdict: good}\n"
    )
    assert [problem.line for problem in checked.problems] == [6, 6, 6, 7, 7, 7, 9, 9]


def test_line_numbers_do_not_depend_on_line_endings():
    text = rule_with(label="partly").replace("\n", "\r\n")
    problem = only_problem(check_text(text, included=nothing_else))
    assert (problem.line, problem.column, problem.fix) == (9, 12, "partial")


def test_the_name_is_parsed_even_if_the_rest_is_invalid():
    assert read("rules: 5\n").name == "mine"


def test_names_have_at_most_63_url_safe_characters():
    assert re.fullmatch(NAME, "a" * 63)
    assert not re.fullmatch(NAME, "a" * 64)
    assert not re.fullmatch(NAME, "a/b")


def test_the_number_of_rules_is_limited():
    def rules(number: int) -> str:
        lines = (RULE.replace("first", f"r{place}") for place in range(number))
        return "rules:\n" + "".join(f"  - {line}\n" for line in lines)

    assert read(rules(500)).problems == ()
    problem = only_problem(read(rules(501)))
    assert problem.message == "There are 501 rules; at most 500 are allowed. The limit is here."
    assert problem.line == 506


def test_an_oversized_check_is_rejected_before_it_is_parsed():
    longest = HEAD + "#" * (MAX_BYTES - len(HEAD))
    assert read(longest[len(HEAD) :]).problems == ()
    problem = only_problem(check_text(longest + "#", included=nothing_else))
    assert "at most 262,144 are allowed" in problem.message
    assert problem.line == 5


@given(st.text() | st.text(alphabet="ab:-{}[],\"'\n #&*!|>%?\\") | st.binary())
def test_any_text_compiles_or_reports_a_problem(source):
    checked = check_text(source, included=nothing_else)
    assert checked.problems or checked.compiled


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(documents(), st.data())
def test_problems_in_a_damaged_document_have_valid_positions(document, data):
    text = as_yaml(document, flow=None)
    begin = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(begin, min(len(text), begin + 20)))
    damaged = text[:begin] + data.draw(st.sampled_from(["", "x", "{", "'", "\n", "5"])) + text[end:]
    checked = check_text(damaged, included=nothing_else)
    lines = damaged.split("\n")
    for problem in checked.problems:
        assert problem.line
        assert problem.column
        assert problem.line <= len(lines)
        assert problem.column <= len(lines[problem.line - 1]) + 1
