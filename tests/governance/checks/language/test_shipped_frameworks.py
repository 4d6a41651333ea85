"""Built-in checks of frameworks agree with edictum's own adapters on errors."""

from types import SimpleNamespace
from typing import Any

import pytest
from edictum.adapters.google_adk import GoogleADKAdapter
from edictum.adapters.langchain import LangChainAdapter
from edictum.adapters.semantic_kernel import SemanticKernelAdapter
from hypothesis import given

from governance.checks.domain import default_check
from governance.checks.language.named import NamedCheck
from governance.checks.language.shipped import shipped
from governance.core.verdict import Verdict
from tests.governance.checks.results import json_values

SUCCESS, FAILURE = Verdict.SUCCESS, Verdict.FAILURE
SEMANTIC_KERNEL, LANGCHAIN, GOOGLE_ADK = (
    NamedCheck(shipped()[name]) for name in ("semantic-kernel", "langchain", "google-adk")
)


def succeeds(adapter: Any, result: Any) -> bool:
    guard = SimpleNamespace(_success_check=None)
    return bool(adapter._check_tool_success(SimpleNamespace(_guard=guard), "tool", result))


@given(json_values)
def test_the_google_adk_check_agrees_with_its_adapter(output):
    assert (GOOGLE_ADK.judge("t", output).verdict is SUCCESS) is succeeds(GoogleADKAdapter, output)


@given(json_values)
def test_the_langchain_check_agrees_with_its_adapter_about_messages(content):
    message = SimpleNamespace(content=content)
    verdict = LANGCHAIN.judge("t", {"content": content}).verdict
    assert (verdict is SUCCESS) is succeeds(LangChainAdapter, message)


@given(json_values)
def test_the_semantic_kernel_check_agrees_with_its_adapter_about_results(metadata):
    result = SimpleNamespace(metadata=metadata)
    verdict = SEMANTIC_KERNEL.judge("t", {"metadata": metadata}).verdict
    assert (verdict is SUCCESS) is succeeds(SemanticKernelAdapter, result)


@pytest.mark.parametrize("name", shipped())
@given(output=json_values)
def test_a_built_in_check_fails_every_output_that_the_default_fails(name, output):
    if default_check(output).verdict is FAILURE:
        assert NamedCheck(shipped()[name]).judge("t", output).verdict is FAILURE


@pytest.mark.parametrize(
    ("check", "output", "rule"),
    [
        (SEMANTIC_KERNEL, {"metadata": {"error": "x"}}, "metadata-error"),
        (LANGCHAIN, {"content": "Error: x"}, "content"),
        (GOOGLE_ADK, {"error": {"code": 5}}, "error"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_framework_check_fails_outputs_that_the_default_passes(check, output, rule):
    judgement = check.judge("any tool", output)
    assert (judgement.verdict, judgement.rule) == (FAILURE, rule)
    assert default_check(output).verdict is SUCCESS
