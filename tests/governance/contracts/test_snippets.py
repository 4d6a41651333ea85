"""Sample code that loads a contract: every value filled in and escaped for its language."""

import ast
import shlex

import pytest

from governance.contracts.domain.snippets import contract_snippets

LANGUAGES = ("python", "edictum", "typescript", "go", "curl")


def snippets(**values):
    defaults = {"url": "https://console.test", "env": "staging", "key": "edk_staging_1"}
    return {each.name: each for each in contract_snippets("billing", **defaults | values)}


def test_there_is_one_snippet_per_language():
    assert tuple(snippets()) == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_snippet_names_console_key_environment_and_contract(language):
    code = snippets()[language].code
    for value in ("https://console.test", "edk_staging_1", "staging", "billing", "my-agent"):
        assert value in code


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_key_there_is_a_placeholder(language):
    assert "edk_staging_…" in snippets(key="")[language].code


@pytest.mark.parametrize("language", ["python", "edictum"])
def test_values_are_escaped_in_python_snippets(language):
    hostile = 'x"); import os; os.system("true") #'
    tree = ast.parse(snippets(agent=hostile)[language].code)
    assert hostile in {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def test_values_are_quoted_in_shell_snippets():
    words = shlex.split(snippets(agent="x'; true #")["curl"].code.replace("\\\n", " "))
    assert "X-Edictum-Agent-Id: x'; true #" in words
    assert len(words) == 6


def test_the_python_snippet_installs_the_client_from_the_given_address():
    address = "https://console.test/clients/a.whl"
    assert shlex.split(snippets(client=address)["python"].command)[-1] == address


@pytest.mark.parametrize(
    ("url", "is_needed"),
    [
        ("http://127.0.0.1:8000", False),
        ("http://localhost:8000", False),
        ("http://[::1]:8000", False),
        ("https://console.test", False),
        ("http://console.test", True),
    ],
)
def test_snippets_allow_http_to_a_remote_host_explicitly(url, is_needed):
    shown = snippets(url=url)
    assert ("allow_insecure=True" in shown["python"].code) is is_needed
    assert ("allow_insecure=True" in shown["edictum"].code) is is_needed
    assert ("allowInsecure: true" in shown["typescript"].code) is is_needed
    assert ("WithAllowInsecure()" in shown["go"].code) is is_needed
