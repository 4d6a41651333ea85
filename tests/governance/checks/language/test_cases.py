"""The cases that all who carry out checks have in common: each says what stands there."""

import json
from pathlib import Path
from typing import Any

import pytest

from governance.checks.language.exports import python_module, typescript_module
from governance.checks.language.matcher import canonical
from governance.checks.language.named import NamedCheck
from governance.checks.language.text import check_text
from governance.core.compiled_check import Compiled
from tests.governance.checks.language.exported import Asked, by_node, by_python
from tests.governance.checks.language.oracle import judged
from tests.governance.checks.language.strategies import as_yaml

ROOT = Path(__file__).resolve().parents[4]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/fixtures/checks/cases.json").read_text())
ABOUT = [case["about"] for case in CASES]
SAID = ("verdict", "rule", "selector", "value", "reason", "labels", "cut")


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
    """As JSON. A long one is a text of so many times this, and then that; brackets are closed."""
    if "long" not in call:
        text: str = call["result"]
        return text
    begin, times, end = call["long"]
    return json.dumps(begin * times + end * (times if end == "]" else 1))


def asked_of(case: dict[str, Any], module: int = 0) -> list[Asked]:
    return [Asked(module, call.get("tool", "tool"), result_of(call)) for call in case["calls"]]


def assert_said(call: dict[str, Any], said: Any) -> None:
    result = dict(zip(SAID, said[:7], strict=True)) | {"labels": list(said[5])}
    expected = {name: call[name] for name in SAID if name in call}
    # As texts, since to Python true is 1.
    assert canonical({name: result[name] for name in expected}) == canonical(expected), call


@pytest.mark.parametrize("case", CASES, ids=ABOUT)
def test_the_console_says(case):
    check = NamedCheck(compiled_of(case))
    for call, asked in zip(case["calls"], asked_of(case), strict=True):
        assert_said(call, check.explain(asked.tool, json.loads(asked.result)))


@pytest.mark.parametrize("case", CASES, ids=ABOUT)
def test_the_plain_reading_of_the_language_says(case):
    for call, asked in zip(case["calls"], asked_of(case), strict=True):
        assert_said(call, judged(document_of(case), asked.tool, json.loads(asked.result)))


@pytest.mark.parametrize(
    ("exported", "answers"),
    [(python_module, by_python), (typescript_module, by_node)],
    ids=["Python", "TypeScript"],
)
def test_an_exported_module_says_the_same_in_its_own_process(exported, answers, tmp_path):
    modules = [exported(compiled_of(case)) for case in CASES]
    items = [each for number, case in enumerate(CASES) for each in asked_of(case, number)]
    calls = [call for case in CASES for call in case["calls"]]
    for call, answer in zip(calls, answers(tmp_path, modules, items), strict=True):
        assert_said(call, answer)
