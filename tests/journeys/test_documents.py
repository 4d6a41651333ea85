"""Agents of real SDK versions fetch, verify and enforce contracts of a running console."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from governance.delivery.domain import STOPPED
from governance.texts.dialect import Dialect
from governance.texts.document import read_document
from tests.governance.contracts.documents import document, pre
from tests.governance.serving import RICH
from tests.journeys.console import Console
from tests.sdks.environments import ROOT, python_of

PROGRAM = ROOT / "tests" / "sdks" / "programs" / "verified_documents.py"
NO_PAYMENTS = pre("{tool.name: {equals: pay}}", message="no payments")

Asking = Callable[..., dict[str, Any]]


@contextmanager
def an_agent(version: str, console: Console, key: str) -> Iterator[Asking]:
    variables = {"CONSOLE_URL": console.url, "CONSOLE_KEY": key, "PATH": os.environ["PATH"]}
    command = [str(python_of(version)), str(PROGRAM)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables, text=True
    ) as process:
        words, outcome = process.stdin, process.stdout
        assert words is not None
        assert outcome is not None

        def ask(bundle: str, *, key: str = "", tool: str = "pay") -> dict[str, Any]:
            print(json.dumps({"bundle": bundle, "key": key, "tool": tool}), file=words, flush=True)
            answer: dict[str, Any] = json.loads(outcome.readline())
            return answer

        yield ask
        words.close()


@pytest.fixture
def agents(console: Console) -> Iterator[Callable[..., Asking]]:
    with ExitStack() as stack:

        def start(version: str, **fields: Any) -> Asking:
            expected = {"name": version, "env": "production", "scopes": ["agent"], **fields}
            made = answer_of(console, "POST", "keys", **expected)
            return stack.enter_context(an_agent(version, console, made["key"]))

        yield start


def answer_of(console: Console, method: str, path: str, **body: Any) -> dict[str, Any]:
    status, answer = console.ask(method, path, json.dumps(body).encode() if body else None)
    assert status in (200, 201), answer
    result: dict[str, Any] = answer
    return result


def deploy(console: Console, text: str) -> dict[str, Any]:
    version = answer_of(console, "POST", "contracts", yaml=text)
    path = f"contracts/{version['name']}/deployments"
    answer_of(console, "POST", path, version=version["version"], env="production")
    return version


def test_an_agent_verifies_its_contract_and_trusts_no_other_key(
    console: Console, agents: Callable[..., Asking]
) -> None:
    version = deploy(console, document(NO_PAYMENTS).replace("name: d", "name: verified"))
    ask, key = agents("0.19.0"), answer_of(console, "GET", "signing-key")["public_key"]
    answer = ask("verified", key=key)
    assert answer["result"] == "denied: no payments"
    assert answer["policy_version"] == version["revision_hash"]
    assert ask("verified", key=key, tool="look")["result"] == "ran"
    assert "verification failed" in ask("verified", key="1" * 64)["refused"]
    new = answer_of(console, "POST", "signing-key/rotations")["public_key"]
    assert "verification failed" in ask("verified", key=key)["refused"]
    assert ask("verified", key=new)["policy_version"] == version["revision_hash"]


@pytest.mark.parametrize(
    ("sdk", "fields"), [("0.15.0", {}), ("0.17.0", {"dialect": "new"}), ("0.19.0", {})]
)
@pytest.mark.parametrize("authored", list(Dialect))
def test_each_sdk_generation_reads_contracts_written_in_either_format(
    console: Console,
    agents: Callable[..., Asking],
    sdk: str,
    fields: dict[str, Any],
    authored: Dialect,
) -> None:
    name = f"rich-{authored}"
    text = RICH.replace("name: rich", f"name: {name}").replace('tool: "*"', "tool: pay")
    deploy(console, read_document(text).text_in(authored))
    assert agents(sdk, **fields)(name, tool="look")["result"] == "ran"


def test_an_0_17_agent_without_the_format_setting_rejects_the_contract(
    console: Console, agents: Callable[..., Asking]
) -> None:
    deploy(console, document(NO_PAYMENTS).replace("name: d", "name: trap"))
    assert "rules" in agents("0.17.0")("trap")["refused"]


BLOCKED = """
import asyncio, sys
import edictum
guard = edictum.Edictum.from_yaml_string(sys.stdin.read())
try:
    asyncio.run(guard.run("anything", {}, lambda: "ran"))
except edictum.EdictumDenied as denied:
    print(denied.reason)
"""


@pytest.mark.parametrize(
    ("sdk", "dialect"), [("0.15.0", Dialect.OLD), ("0.17.0", Dialect.NEW), ("0.19.0", Dialect.NEW)]
)
def test_the_stop_document_stops_agents_of_each_sdk_generation(sdk: str, dialect: Dialect) -> None:
    done = subprocess.run(
        [str(python_of(sdk)), "-c", BLOCKED],
        input=STOPPED[dialect].decode(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "Stopped by an operator" in done.stdout
