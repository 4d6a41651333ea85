"""All adapters of the newest edictum, each in its framework, with a fake model and no network.

They run only with `SDKS=all`, because the frameworks are large. `docs/adapters.md` reports the
results.
"""

import json
import os
import subprocess
from typing import Any

import pytest

from governance.checks.language.named import NamedCheck
from governance.checks.language.shipped import shipped
from tests.journeys.console import Console
from tests.sdks.agents import PATIENCE, a_key, answer_of
from tests.sdks.environments import FRAMEWORKS, ROOT, python_with

WAYS = ("alone", "client", "advised")
Verdicts = tuple[str | None, str | None, str | None]  # type, verdict, the agent's own verdict
SUCCESS: Verdicts = ("execution_result", "success", "success")
FAILED: Verdicts = ("failure", "failure", "failure")
JUDGED: Verdicts = ("execution_result", "failure", "failure")
ONLY_HERE: Verdicts = ("execution_result", "failure", "success")
OPEN: Verdicts = (None, None, None)
# Expected results of a tool that raises, and of one that reports an error as the framework does.
WRONG: dict[str, dict[str, tuple[Verdicts, Verdicts, Verdicts]]] = {
    "agno": {
        "breaks": (FAILED, FAILED, FAILED),
        "complains": (SUCCESS, ONLY_HERE, JUDGED),
    },
    "claude_agent_sdk": {
        "breaks": (OPEN, OPEN, JUDGED),
        "complains": (OPEN, OPEN, JUDGED),
    },
    "crewai": {
        "breaks": (SUCCESS, SUCCESS, JUDGED),
        "complains": (FAILED, JUDGED, JUDGED),
    },
    "google_adk": {
        "breaks": (FAILED, FAILED, FAILED),
        "complains": (FAILED, JUDGED, JUDGED),
    },
    "langchain": {
        "breaks": (OPEN, OPEN, JUDGED),
        "complains": (SUCCESS, SUCCESS, JUDGED),
        "reports": (FAILED, JUDGED, JUDGED),
    },
    "nanobot": {
        "breaks": (SUCCESS, SUCCESS, JUDGED),
        "complains": (SUCCESS, SUCCESS, JUDGED),
    },
    "openai_agents": {
        "breaks": (SUCCESS, SUCCESS, JUDGED),
        "complains": (SUCCESS, SUCCESS, ONLY_HERE),
    },
    "semantic_kernel": {
        "breaks": (SUCCESS, SUCCESS, JUDGED),
        "complains": (SUCCESS, SUCCESS, JUDGED),
        "reports": (FAILED, JUDGED, JUDGED),
    },
}
# Tools whose failure the adapter detects and the default check doesn't.
ONLY_BY_THE_ADAPTER = {
    "google_adk": "complains",
    "langchain": "reports",
    "semantic_kernel": "reports",
}
RECORDED = json.loads((ROOT / "tests" / "fixtures" / "framework-failures.json").read_text())
SHIPPED = {
    "agno": "error-text",
    "claude_agent_sdk": "mcp",
    "crewai": "crewai",
    "google_adk": "google-adk",
    "langchain": "langchain",
    "nanobot": "nanobot",
    "openai_agents": "openai",
    "semantic_kernel": "semantic-kernel",
}
RUNS_WHAT_IS_DENIED = ("crewai",)
RUNS_WITHOUT_A_CONSOLE = ("claude_agent_sdk", "crewai")
# For a tokenizer table, which is optional.
CALLED_HOME = {"nanobot": ["openaipublic.blob.core.windows.net"]}

every_way = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(scope="module", autouse=True)
def _bound(console: Console) -> None:
    """Bind the built-in check of each framework, as docs/adapters.md recommends."""
    lines = [
        {"agent": f"{framework}-advised", "tool": "*", "check": check}
        for framework, check in SHIPPED.items()
    ]
    answer_of(console, "PUT", "success-check-bindings", bindings=lines)


class Program:
    """Results that a framework's program reported, and those recorded by the console."""

    def __init__(self, console: Console, framework: str, facts: dict[str, Any]) -> None:
        self.console, self.framework, self.facts = console, framework, facts

    def call(self, way: str, tool: str) -> dict[str, Any]:
        agent = self.facts[way]["agent"]
        calls = self.console.settled(f"outcomes?agent={agent}")["outcomes"]
        (call,) = (call for call in calls if call["tool_name"] == tool)
        return dict(call)


@pytest.fixture(scope="module", params=FRAMEWORKS)
def program(
    request: pytest.FixtureRequest, console: Console, tmp_path_factory: pytest.TempPathFactory
) -> Program:
    framework = str(request.param)
    done = subprocess.run(
        [str(python_with(framework)), "-m", f"tests.sdks.programs.adapters.{framework}", framework],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path_factory.mktemp(framework)),
            "PYTHONPATH": str(ROOT / "clients" / "python" / "src"),
            "CONSOLE_URL": console.url,
            "AGENT_KEY": a_key(console, framework),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout.splitlines()[-1])
    assert "error" not in facts, facts["error"]
    return Program(console, framework, facts)


@every_way
def test_a_tool_that_succeeds_is_one_success_with_its_result_only_by_our_client(
    program: Program, way: str
) -> None:
    call = program.call(way, "lookup")
    assert verdicts_of(call) == SUCCESS
    assert call["tool_args"] == {"id": 7}
    if way == "alone":
        assert "output" not in call
        assert call["elapsed_ms"] is None
    else:
        assert "Ada" in str(call["output"])
        assert call["elapsed_ms"] > 0


@every_way
def test_what_arrives_of_a_tool_that_fails_is_as_reported(program: Program, way: str) -> None:
    for tool, ways in WRONG[program.framework].items():
        call = program.call(way, tool)
        assert verdicts_of(call) == ways[WAYS.index(way)]
        assert ("output" in call) == (way != "alone" and call["type"] == "execution_result")
        if call["type"] == "failure" and way != "alone":
            assert "connection refused" in call["error"]


def test_a_failure_that_only_the_adapter_sees_is_decided_by_the_agent(program: Program) -> None:
    if tool := ONLY_BY_THE_ADAPTER.get(program.framework):
        call = program.call("client", tool)
        assert (call["classified"], call["decided_by"]) == ("success", "agent")
        assert call["disagreement"] is False
        assert call["output"] == RECORDED[program.framework]["outcome"]["output"]


@pytest.mark.parametrize("way", ["client", "advised"])
def test_a_shipped_check_tells_the_results_of_its_framework_apart(
    program: Program, way: str
) -> None:
    check = NamedCheck(shipped()[SHIPPED[program.framework]])
    calls = [program.call(way, tool) for tool in ("lookup", *WRONG[program.framework])]
    returned = [call for call in calls if "output" in call]
    fields = {call["tool_name"]: check.judge("", call["output"]).verdict.value for call in returned}
    assert fields.pop("lookup") == "success"
    assert set(fields.values()) <= {"failure"}


@every_way
def test_a_denied_call_names_its_rule(program: Program, way: str) -> None:
    call = program.call(way, "shell")
    assert verdicts_of(call) == ("denied", None, None)
    assert (call["reason"], call["details"]) == ("contract", "not as root")
    assert call["decision_name"] == "no-root"
    events = answer_of(program.console, "GET", f"outcomes/{call['call_id']}")["events"]
    assert [event["action"] for event in events] == ["call_blocked"]


@every_way
def test_a_denied_call_does_not_run_where_the_framework_respects_it(
    program: Program, way: str
) -> None:
    runs = way != "advised" and program.framework in RUNS_WHAT_IS_DENIED
    ran = program.facts[way]["ran"]
    assert ran == ["lookup", *WRONG[program.framework]] + ["shell"] * runs


@every_way
def test_every_call_names_its_agent_session_and_contract(program: Program, way: str) -> None:
    facts = program.facts[way]
    for tool in facts["seen"]:
        call = program.call(way, tool)
        assert call["session_id"] == facts["session"]
        assert call["policy_version"] == facts["policy_version"]
        assert call["contract"]["name"] == "sdks"
    assert len(facts["seen"]) == len(WRONG[program.framework]) + 2


def test_with_the_advice_nothing_runs_without_a_console(program: Program) -> None:
    facts = program.facts
    assert facts["down, advised"]["ran"] == []
    assert facts["down"]["ran"] == ["lookup"] * (program.framework in RUNS_WITHOUT_A_CONSOLE)


def test_no_framework_needs_the_world_outside(program: Program) -> None:
    assert program.facts["outside"] == CALLED_HOME.get(program.framework, [])


def test_the_report_names_what_was_tried() -> None:
    report = (ROOT / "docs" / "adapters.md").read_text()
    for name, version in FRAMEWORKS.values():
        assert f"{name} {version}" in report


def verdicts_of(call: dict[str, Any]) -> Verdicts:
    return call["type"], call["verdict"], call["reported"]
