"""The code snippets of the contract pages work when run as a developer would run them."""

import os
import shutil
import subprocess
import uuid

import pytest

from governance.contracts.domain.snippets import Snippet, contract_snippets
from tests.journeys.console import Console
from tests.sdks.agents import NEWEST, a_key
from tests.sdks.environments import ROOT, python_of

pytestmark = pytest.mark.slow  # needs a separate product instance


def a_snippet(console: Console, language: str, agent: str) -> Snippet:
    snippets = contract_snippets(
        "sdks",
        url=console.url,
        env="production",
        key=a_key(console, f"snippet {language}"),
        agent=agent,
    )
    return next(each for each in snippets if each.name == language)


def run_python(folder, snippet):
    client = str(ROOT / "clients" / "python" / "src")
    (folder / snippet.file).write_text(snippet.code)
    return run([str(python_of(NEWEST)), snippet.file], folder, PYTHONPATH=client)


def run(command, folder, **variables):
    done = subprocess.run(
        command, cwd=folder, env=os.environ | variables, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("language", "output"), [("python", "hello you"), ("edictum", None)])
def test_the_python_code_runs_a_call_under_the_contract(console, tmp_path, language, output):
    agent = f"{language}-{uuid.uuid4().hex[:8]}"
    snippet = a_snippet(console, language, agent)
    assert run_python(tmp_path, snippet) == "hello you\n"
    (call,) = console.settled(f"outcomes?agent={agent}")["outcomes"]
    assert (call["tool_name"], call["type"]) == ("hello", "execution_result")
    assert call["policy_version"]
    assert call.get("output") == output


@pytest.mark.parametrize("language", ["python", "edictum"])
def test_the_python_code_reports_a_denial_and_its_reason(console, tmp_path, language):
    snippet = a_snippet(console, language, f"denied-{language}")
    code = snippet.code.replace('"hello", {"name": "you"}', '"shell", {"user": "root"}')
    assert run_python(tmp_path, snippet._replace(code=code)) == "Denied: not as root\n"


def test_the_curl_command_returns_the_deployed_version(console, tmp_path):
    if shutil.which("curl") is None:
        pytest.fail("Install curl: this test runs the command of the page.")
    answer = run(["/bin/sh", "-c", a_snippet(console, "curl", "curl-agent").code], tmp_path)
    assert '"revision_hash"' in answer
    assert "kind: " in answer


def test_the_typescript_code_is_valid_javascript(console, tmp_path):
    if shutil.which("node") is None:
        pytest.fail("Install Node.js: this test checks the code of the page.")
    snippet = a_snippet(console, "typescript", "ts-agent")
    (tmp_path / snippet.file).write_text(snippet.code)
    run(["node", "--check", snippet.file], tmp_path)
