"""The built-in checks: exactly what the SDKs' heuristics say, and why."""

from types import SimpleNamespace

import pytest
from edictum._runner import _default_success_check
from edictum.adapters.google_adk import GoogleADKAdapter
from edictum.adapters.langchain import LangChainAdapter
from edictum.adapters.semantic_kernel import SemanticKernelAdapter
from hypothesis import given
from hypothesis import strategies as st

from governance.domain.success import (
    BUILT_IN,
    DEFAULT,
    GOOGLE_ADK,
    LANGCHAIN,
    SEMANTIC_KERNEL,
    Verdict,
    default_check,
)

SUCCESS, FAILURE = Verdict.SUCCESS, Verdict.FAILURE

texts = st.text(max_size=9) | st.builds(
    str.__add__,
    st.sampled_from(
        ["Error:", "error:", "eRRoR:", "fatal:", "FATAL:", " error:", "error :", "erro"]
    ),
    st.text(max_size=3),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["is_error", "error", "content", "metadata"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("output", "verdict", "rule"),
    [
        (None, SUCCESS, "null"),
        ({"is_error": True}, FAILURE, "is_error"),
        ({"is_error": "yes"}, FAILURE, "is_error"),
        ({"is_error": False}, SUCCESS, "otherwise"),
        ({"is_error": []}, SUCCESS, "otherwise"),
        ("Error: x", FAILURE, "error_prefix"),
        ("ERROR:", FAILURE, "error_prefix"),
        ("fatal: x", FAILURE, "error_prefix"),
        (" Error: x", SUCCESS, "otherwise"),
        ("an Error: x", SUCCESS, "otherwise"),
        ("Traceback (most recent call last):", SUCCESS, "otherwise"),
        ({"ok": False}, SUCCESS, "otherwise"),
        ({"status": 500}, SUCCESS, "otherwise"),
        ({"error": "x"}, SUCCESS, "otherwise"),
        (False, SUCCESS, "otherwise"),
        ("", SUCCESS, "otherwise"),
        (["Error: x"], SUCCESS, "otherwise"),
    ],
    ids=repr,
)
def test_the_default_check_judges(output, verdict, rule):
    judgement = DEFAULT.judge("any tool", output)
    assert (judgement.verdict, judgement.rule) == (verdict, rule)


def test_a_failure_keeps_the_value_that_decided_and_says_why():
    judgement = default_check({"is_error": "disk full", "more": 1})
    assert judgement.value == "disk full"
    assert judgement.reason
    assert len(str(default_check("Error: " + "x" * 20_000).value)) == 200


@given(json_values)
def test_the_default_check_agrees_with_the_library(output):
    assert (default_check(output).verdict is SUCCESS) is _default_success_check("tool", output)


def said_by(adapter, output):
    guard = SimpleNamespace(_success_check=None)
    return adapter._check_tool_success(SimpleNamespace(_guard=guard), "tool", output)


@given(json_values)
def test_the_google_adk_check_agrees_with_its_adapter(output):
    assert (GOOGLE_ADK.judge("t", output).verdict is SUCCESS) is said_by(GoogleADKAdapter, output)


@given(json_values)
def test_the_langchain_check_agrees_with_its_adapter_about_messages(content):
    message = SimpleNamespace(content=content)
    verdict = LANGCHAIN.judge("t", {"content": content}).verdict
    assert (verdict is SUCCESS) is said_by(LangChainAdapter, message)


@given(json_values)
def test_the_semantic_kernel_check_agrees_with_its_adapter_about_results(metadata):
    result = SimpleNamespace(metadata=metadata)
    verdict = SEMANTIC_KERNEL.judge("t", {"metadata": metadata}).verdict
    assert (verdict is SUCCESS) is said_by(SemanticKernelAdapter, result)


@given(json_values)
def test_every_built_in_check_fails_what_the_default_fails(output):
    if default_check(output).verdict is FAILURE:
        assert {check.judge("t", output).verdict for check in BUILT_IN.values()} == {FAILURE}


@pytest.mark.parametrize(
    ("check", "output", "rule", "value"),
    [
        (SEMANTIC_KERNEL, {"metadata": {"error": "x"}}, "metadata_error", "x"),
        (LANGCHAIN, {"content": "Error: x"}, "content_prefix", "Error: x"),
        (GOOGLE_ADK, {"error": {"code": 5}}, "error_key", {"code": 5}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_an_extra_fails_what_its_framework_means_by_an_error(check, output, rule, value):
    judgement = check.judge("any tool", output)
    assert (judgement.verdict, judgement.rule, judgement.value) == (FAILURE, rule, value)
    assert default_check(output).verdict is SUCCESS


def test_the_built_in_checks_are_known_by_name_and_stand_at_version_one():
    assert list(BUILT_IN) == ["default", "semantic-kernel", "langchain", "google-adk"]
    assert {check.version for check in BUILT_IN.values()} == {1}
