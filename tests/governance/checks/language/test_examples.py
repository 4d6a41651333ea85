"""Examples: run whenever a check is parsed; failing ones are reported with the actual verdict."""

import pytest

from tests.governance.checks.language.written import only_problem, read

RULES = """\
rules:
  - {id: not-ok, when: {result.ok: {equals: false}}, verdict: failure}
  - {id: slow, when: {elapsed_ms: {gt: 1000}}, verdict: unknown}
  - {id: sql, tool: "sql_*", when: {result.rows: {empty: true}}, verdict: failure}
examples:
"""


def test_passing_examples_report_no_problems():
    checked = read(
        RULES + "  - {result: {ok: false}, verdict: failure}\n"
        "  - {tool: sql_read, result: {rows: []}, verdict: failure}\n"
        "  - {tool: read, result: {rows: []}, verdict: success}\n"
        "  - {result: 1, elapsed_ms: 1000.5, verdict: unknown}\n"
        "  - {result: null, verdict: success}\n"
    )
    assert checked.problems == ()
    assert [example.explanation.rule for example in checked.examples] == [
        "not-ok",
        "sql",
        "otherwise",
        "slow",
        "otherwise",
    ]
    assert all(example.passed for example in checked.examples)


def test_a_failing_example_reports_the_actual_verdict_and_why():
    checked = read(
        RULES + "  - {result: {ok: true}, verdict: success}\n"
        "  - tool: sql_read\n"
        "    result: {rows: []}\n"
        "    verdict: success\n"
    )
    problem = only_problem(checked)
    assert problem.message == (
        "Got failure instead of success: rule `sql` saw [] in `result.rows`."
    )
    assert (problem.line, problem.column, problem.path) == (11, 5, "examples[1]")
    first, second = checked.examples
    assert first.passed
    assert (second.index, second.line, second.tool) == (1, 11, "sql_read")
    assert (second.expected, second.got, second.passed) == ("success", "failure", False)


def test_failing_examples_do_not_prevent_compilation():
    checked = read(RULES + "  - {result: 1, verdict: failure}\n")
    assert only_problem(checked).message == ("Got success instead of failure: no rule matched.")
    assert checked.compiled


def test_long_values_are_truncated_in_the_message():
    checked = read(
        RULES + f"  - {{tool: sql_x, result: {{ok: false, a: {'x' * 999}}}, verdict: success}}\n"
    )
    assert len(only_problem(checked).message) < 200


def test_examples_do_not_run_while_there_are_other_problems():
    checked = read(
        "rules: [{id: a, verdict: failure}]\nexamples: [{result: 1, verdict: failure}]\n"
    )
    assert "`when` is missing" in only_problem(checked).message
    assert checked.examples == ()


WRONG = {
    "5": ("An example has keys", 5),
    "{verdict: success}": ("`result` is missing", 5),
    "{result: 1}": ("`verdict` is missing", 5),
    "{result: 1, verdict: ok}": ("`ok` is not a verdict", 26),
    "{result: 1, verdict: default}": ("`default` is not a verdict", 26),
    "{output: 1, result: 1, verdict: success}": (
        "Unknown key `output`. Did you mean `result`?",
        6,
    ),
    "{tool: 5, result: 1, verdict: success}": ("Put this text in quotes", 12),
    "{result: 1, verdict: success, elapsed_ms: '5'}": ("without quotes", 47),
    "{result: no, verdict: success}": ("write false", 14),
}


@pytest.mark.parametrize(("example", "message"), WRONG.items(), ids=WRONG)
def test_an_invalid_example_is_reported_at_its_position(example, message):
    words, column = message
    problem = only_problem(read(f"{RULES}  - {example}\n"))
    assert words in problem.message
    assert (problem.line, problem.column) == (10, column)


def test_a_check_has_at_most_500_examples():
    one = "  - {result: 1, verdict: success}\n"
    assert read(RULES + one * 500).problems == ()
    problem = only_problem(read(RULES + one * 501))
    assert "There are 501 examples; at most 500" in problem.message
    assert problem.line == 510
