"""Prints what this interpreter's edictum counts as success, as one line of JSON; no console."""

import asyncio
import importlib
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

from edictum import Edictum

MINOR = int(sys.argv[1].split(".")[1])
OLD = MINOR < 17
HEARS_OF_DENIALS = "on_deny" if OLD else "on_block"
MADE_BY = ("__init__", "from_yaml", "from_yaml_string", "from_template", "from_server")
Facts = dict[str, Any]


def document(limits: str = "{max_tool_calls: 100}", limit_id: str = "limits") -> str:
    kind, rules, then = (
        ("ContractBundle", "contracts", "effect: deny")
        if OLD
        else ("Ruleset", "rules", "action: block")
    )
    warn = then.split(":")[0]
    return f"""\
apiVersion: edictum/v1
kind: {kind}
metadata: {{name: facts}}
defaults: {{mode: enforce}}
{rules}:
  - id: {limit_id}
    type: session
    limits: {limits}
    then: {{{then}, message: no more}}
  - id: says-boom
    type: post
    tool: "*"
    when: {{output.text: {{contains: boom}}}}
    then: {{{warn}: warn, message: it says boom}}
"""


class Sink:
    def __init__(self) -> None:
        self.events: list[Any] = []

    async def emit(self, event: Any) -> None:
        self.events.append(event)


def a_guard(limits: str = "{max_tool_calls: 100}", **how: Any) -> tuple[Any, Sink]:
    sink = Sink()
    return Edictum.from_yaml_string(document(limits), audit_sink=sink, **how), sink


def returning(result: Any) -> Callable[..., Awaitable[Any]]:
    async def tool() -> Any:
        if isinstance(result, Exception):
            raise result
        return result

    return tool


async def outcome_of(result: Any, **how: Any) -> Facts:
    """Outcome of one call whose tool returns or raises this."""
    return await outcome_with(*a_guard(**how), result)


async def outcome_with(guard: Any, sink: Sink, result: Any) -> Facts:
    raised = ""
    try:
        await guard.run("lookup", {}, returning(result))
    except Exception as error:  # noqa: BLE001 - its name is the fact
        raised = type(error).__name__
    last = sink.events[-1]
    return {
        "action": last.action.value,
        "success": last.tool_success,
        "raised": raised,
        "post rules met": last.postconditions_passed is False,
    }


async def passed(limits: str, result: Any) -> int:
    """Number of calls that ran out of six."""
    guard, sink = a_guard(limits)
    for _ in range(6):
        try:
            await guard.run("lookup", {}, returning(result), session_id="s")
        except Exception:  # noqa: BLE001, S112 - counted is what ran
            continue
    return sum(event.tool_success is not None for event in sink.events)


class CountingCheck:
    """Success check with a fixed result that counts its calls."""

    def __init__(self, *, answer: bool | Exception) -> None:
        self.answer, self.times = answer, 0

    def __call__(self, tool_name: str, result: Any) -> bool:
        self.times += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def check_facts() -> Facts:
    facts: Facts = {}
    for name, result, answer in (
        ("says failure", "fine", False),
        ("says success", "Error: x", True),
        ("raises", "fine", KeyError("x")),
        ("of a tool that raises", ValueError("x"), True),
    ):
        check = CountingCheck(answer=answer)
        facts[name] = {**await outcome_of(result, success_check=check), "asked": check.times}
    first, second = CountingCheck(answer=False), CountingCheck(answer=True)
    guards = [
        Edictum.from_yaml_string(document(limit_id=name), success_check=check)
        for name, check in (("first", first), ("second", second))
    ]
    both = Edictum.from_multiple(guards)
    sink = both.audit_sink = Sink()
    facts["of several guards"] = {**await outcome_with(both, sink, "fine"), "asked": second.times}
    return facts


ADAPTERS = {
    "agno": "AgnoAdapter",
    "claude_agent_sdk": "ClaudeAgentSDKAdapter",
    "crewai": "CrewAIAdapter",
    "google_adk": "GoogleADKAdapter",
    "langchain": "LangChainAdapter",
    "nanobot": "GovernedToolRegistry",
    "openai_agents": "OpenAIAgentsAdapter",
    "semantic_kernel": "SemanticKernelAdapter",
}
RESULTS = {
    "is_error": {"is_error": True},
    "Error:": "Error: x",
    "ERROR:": "ERROR: x",
    "error": {"error": "x"},
    "content": SimpleNamespace(content="Error: x"),
    "metadata": SimpleNamespace(metadata={"error": "x"}),
}


def adapter_facts() -> Facts:
    """Results that each adapter treats as failures if its guard has no check."""
    facts: Facts = {}
    for module, name in ADAPTERS.items():
        try:
            outcome = importlib.import_module(f"edictum.adapters.{module}")
        except ModuleNotFoundError:
            continue
        adapter = getattr(outcome, name)
        itself = SimpleNamespace(_guard=SimpleNamespace(_success_check=None))
        facts[module] = [
            result
            for result, value in RESULTS.items()
            if not adapter._check_tool_success(itself, "lookup", value)
        ]
    return facts


async def main() -> None:
    heard: list[Any] = []
    await outcome_of({"is_error": True}, **{HEARS_OF_DENIALS: lambda *of: heard.append(of)})
    facts = {
        "without": {
            name: await outcome_of(result)
            for name, result in (
                ("null", None),
                ("is_error", {"is_error": True}),
                ("Error:", "Error: x"),
                ("fatal:", "FATAL: x"),
                ("not ok", {"ok": False}),
                ("raises", ValueError("x")),
                ("boom", "Error: boom"),
            )
        },
        "with": await check_facts(),
        "adapters": adapter_facts(),
        "three calls": {
            "of successes": await passed("{max_tool_calls: 3}", "fine"),
            "of failures": await passed("{max_tool_calls: 3}", ValueError("x")),
        },
        "three attempts": await passed("{max_attempts: 3}", "fine"),
        "six failures in a row": await passed("{max_tool_calls: 100}", ValueError("x")),
        "hears of failures": len(heard),
        "takes a check": [
            name
            for name in (*MADE_BY, "from_multiple")
            if "success_check" in inspect.signature(getattr(Edictum, name)).parameters
        ],
    }
    print(json.dumps(facts))  # noqa: T201 - it is what this program is for


asyncio.run(main())
