"""Every row of the shapes reference is caught by a built-in check; its traps are not."""

from typing import Any

import pytest

from governance.checks.language.shipped import shipped
from governance.checks.language.shipped.reference import ROWS
from governance.checks.language.shipped.rows import FOLLOWED, followed, suggested
from tests.governance.checks.language.shapes import NO_RULE, TABLE, Shape, judge_of, shapes, table

RULES = {(name, rule["id"]) for name, check in shipped().items() for rule in check["rules"]}


@pytest.mark.parametrize("shape", shapes(), ids=str)
def test_a_shape_gets_the_verdict_of_its_row(shape: Shape):
    result = judge_of(shape.check)(shape.tool, shape.result, shape.elapsed_ms)
    expected = (shape.verdict, shape.rule, (shape.label,) if shape.label else ())
    assert (result.verdict, result.rule, result.labels) == expected


def test_the_reference_has_every_row_of_part_two():
    assert [key for key in ROWS if key.isdecimal()] == [str(number) for number in range(1, 70)]
    assert [ROWS[key].part for key in ("1", "28", "29", "47", "48", "69", "1.2")] == [
        *("2.1", "2.1", "2.2", "2.2", "2.3", "2.3", "1.2")
    ]


@pytest.mark.parametrize("key", ROWS)
def test_each_row_is_caught_by_a_rule_written_for_it(key):
    caught = {(shape.check, shape.rule) for shape in shapes() if shape.row == key}
    rules = {pair for pair in caught if (result := followed(*pair)) and result.row.key == key}
    assert rules, f"no shape of row {key} is caught by a rule of that row"


def test_each_rule_is_written_for_a_row_and_catches_a_shape():
    follow = {(check, rule) for check, rules in FOLLOWED.items() for rule in rules}
    assert follow == RULES
    assert RULES - {(shape.check, shape.rule) for shape in shapes()} == set()


def test_each_check_passes_at_least_one_trap_or_success():
    passed = {shape.check for shape in shapes() if shape.rule in NO_RULE}
    assert passed == set(shipped())


def test_every_suggestible_rule_has_the_verdict_failure():
    verdicts = {
        (name, rule["id"]): rule["verdict"]
        for name, check in shipped().items()
        for rule in check["rules"]
    }
    assert {verdicts[pair] for pair in suggested()} == {"failure"}
    assert ("flags", "not-ok") in suggested()
    assert ("python-traceback", "text") not in suggested()


def test_the_table_in_the_docs_is_current():
    assert TABLE.read_text() == table(), "run `make result-shapes`"


# Words and error counts in results that are not failures, for any tool.
NO_ERRORS: tuple[Any, ...] = (
    {"error": None},
    {"errors": []},
    {"failed": 0},
    {"error": None, "errors": [], "failed": 0, "failures": [], "error_count": 0},
    {"ok": True, "error": None, "failed": 0},
    {"is_error": False, "isError": False, "success": True},
    {"status": "ok", "code": 0, "message": "0 errors, 0 failed"},
    {"status": 200, "data": {"status": 404, "code": 500, "error": "of a page that was asked for"}},
    {"data": {"id": 7, "note": "Error: this is what the user wrote"}, "errors": []},
    {"exit_code": 0, "stdout": "3 tests failed", "stderr": "warning: an error was ignored"},
    {"rows": [{"error": "x", "status": "failed", "code": 500}]},
    [{"id": 1, "title": "Error: how to read it"}, {"id": 2, "title": "failed"}],
    "The last Error: was mended, and nothing failed.",
    "errors: 0, failed: 0",
    '{"error": null, "failed": 0, "errors": []}',
    "404 pages were read.",
)


@pytest.mark.parametrize("result", NO_ERRORS, ids=repr)
def test_no_built_in_check_treats_a_word_or_a_count_as_a_failure(result):
    fields = {name: judge_of(name)("tool", result, 12.0) for name in shipped()}
    assert {name: each.rule for name, each in fields.items() if each.verdict != "success"} == {}


@pytest.mark.parametrize("shape", [each for each in shapes() if each.verdict == "success"], ids=str)
def test_no_rule_is_suggested_for_a_successful_shape(shape: Shape):
    items = []
    for name in shipped():
        result = judge_of(name)(shape.tool, shape.result, shape.elapsed_ms)
        follows = followed(name, result.rule)
        if result.verdict == "failure" and follows is not None and follows.suggest:
            items.append((name, result.rule))
    assert items == []
