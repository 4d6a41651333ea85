"""Cases shared by all implementations of checks: each gives the expected answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from governance.checks.language.exports import python_module, typescript_module
from governance.checks.language.matcher import canonical
from governance.checks.language.named import NamedCheck
from governance.checks.language.text import check_text
from governance.core.compiled_check import Compiled
from tests.governance.checks.language.exported import Question, by_node, by_python
from tests.governance.checks.language.oracle import judged
from tests.governance.checks.language.strategies import as_yaml

ROOT = Path(__file__).resolve().parents[4]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/fixtures/checks/cases.json").read_text())
ABOUT = [case["about"] for case in CASES]
ANSWER_FIELDS = ("verdict", "rule", "selector", "value", "reason", "labels", "cut")


def document_of(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "edictum-site/v1",
        "kind": "SuccessCheck",
        "metadata": {"name": "case"},
        "otherwise": case.get("otherwise", "success"),
        "rules": case["rules"],
    }


def compiled_of(case: dict[str, Any]) -> Compiled:
    checked = check_text(as_yaml(document_of(case)), included=lambda name: None)
    assert checked.compiled is not None, checked.problems
    return checked.compiled


def result_of(call: dict[str, Any]) -> str:
    """Result as JSON; a long one repeats its start, then its end, closing all brackets."""
    if "long" not in call:
        text: str = call["result"]
        return text
    begin, times, end = call["long"]
    return json.dumps(begin * times + end * (times if end == "]" else 1))


def questions_of(case: dict[str, Any], module: int = 0) -> list[Question]:
    return [Question(module, call.get("tool", "tool"), result_of(call)) for call in case["calls"]]


def assert_answer(call: dict[str, Any], answer: Any) -> None:
    result = dict(zip(ANSWER_FIELDS, answer[:7], strict=True)) | {"labels": list(answer[5])}
    expected = {name: call[name] for name in ANSWER_FIELDS if name in call}
    # Compared as text, since 1 == True in Python.
    assert canonical({name: result[name] for name in expected}) == canonical(expected), call


@pytest.mark.parametrize("case", CASES, ids=ABOUT)
def test_the_console_gives_the_expected_answers(case):
    check = NamedCheck(compiled_of(case))
    for call, question in zip(case["calls"], questions_of(case), strict=True):
        assert_answer(call, check.explain(question.tool, json.loads(question.result)))


@pytest.mark.parametrize("case", CASES, ids=ABOUT)
def test_the_reference_interpreter_gives_the_expected_answers(case):
    for call, question in zip(case["calls"], questions_of(case), strict=True):
        assert_answer(call, judged(document_of(case), question.tool, json.loads(question.result)))


@pytest.mark.parametrize(
    ("exported", "answers"),
    [(python_module, by_python), (typescript_module, by_node)],
    ids=["Python", "TypeScript"],
)
def test_an_exported_module_gives_the_expected_answers_in_its_own_process(
    exported, answers, tmp_path
):
    modules = [exported(compiled_of(case)) for case in CASES]
    items = [each for number, case in enumerate(CASES) for each in questions_of(case, number)]
    calls = [call for case in CASES for call in case["calls"]]
    for call, answer in zip(calls, answers(tmp_path, modules, items), strict=True):
        assert_answer(call, answer)
