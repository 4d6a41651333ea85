"""Results that checks receive from frameworks, as docs/adapters.md lists them."""

import ast
import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from edictum_site_client import default_check

from tests.docs.blocks import ROOT, blocks_of
from tests.governance.checks.language.test_success_docs import codes, explanation_of

PAGE = "docs/adapters.md"
TEXT = (ROOT / PAGE).read_text()
SECTION = TEXT.partition("## What a check looks at")[2].partition("\n## ")[0]
CELLS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in re.findall(r"^\| .*$", SECTION, re.M)][1:]
ONE_FOR_ALL = re.findall(r"One selector finds all of them: `(.*)`", SECTION)[0]


@pytest.mark.parametrize(("framework", "result", "selector"), CELLS)
def test_documented_selectors_find_the_status(framework: str, result: str, selector: str) -> None:
    value = json.loads(codes(result)[0])
    named = codes(selector)
    for each in [*named, ONE_FOR_ALL] if named else []:
        assert explanation_of({each: {"equals": 500}}, value).rule == "met", each
    for usual in ["result.status", *([] if named else ["result|json.status", ONE_FOR_ALL])]:
        if usual not in named:
            assert explanation_of({usual: {"gte": 400}}, value).rule == "otherwise", usual


def the_check(after: str) -> Any:
    """The `success_check` in the first block of the page after this word."""
    line = TEXT.count("\n", 0, TEXT.index(f"**{after}**"))
    block = next(each for each in blocks_of(PAGE) if each.line > line)
    (keyword,) = (
        node
        for node in ast.walk(ast.parse(block.text))
        if isinstance(node, ast.keyword) and node.arg == "success_check"
    )
    return eval(ast.unparse(keyword.value), {"default_check": default_check})  # noqa: S307 - a page of ours


@pytest.mark.parametrize(
    ("framework", "result", "success"),
    [
        ("langchain", SimpleNamespace(status="success", content="3 rows"), True),
        ("langchain", SimpleNamespace(status="error", content="3 rows"), False),
        ("langchain", SimpleNamespace(status="success", content="Error: no such thing"), False),
        ("semantic-kernel", SimpleNamespace(value="3 rows", metadata={}), True),
        ("semantic-kernel", SimpleNamespace(value=None, metadata={"error": "no such user"}), False),
        ("semantic-kernel", SimpleNamespace(value="Error: x", metadata={}), False),
        ("semantic-kernel", SimpleNamespace(value={"is_error": True}, metadata={}), False),
        ("nanobot-ai", "3 rows", True),
        ("nanobot-ai", "fatal: x", False),
        ("nanobot-ai", SimpleNamespace(is_error=True), False),
        ("crewai", "Error executing tool: x", False),
        ("crewai", "Error: x", False),
        ("crewai", "3 rows", True),
        ("agno", "Error: x", False),
    ],
)
def test_documented_checks_agree_with_edictum_on_failures(
    framework: str, result: Any, *, success: bool
) -> None:
    assert the_check(framework)("tool", result) is success
