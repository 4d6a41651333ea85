"""CrewAI: a `Crew` with a model of our own and the adapter's hooks around each tool call."""

import asyncio
import json
import os
from typing import Any

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
}

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import clear_all_tool_call_hooks
from crewai.tools import tool
from edictum.adapters.crewai import CrewAIAdapter
from edictum_site_client import default_check

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, TOOL_CALLS, Seen


@tool("lookup")
def lookup(id: int) -> dict[str, Any]:
    """Find a customer."""
    return governed.lookup_result()


@tool("breaks")
def breaks(id: int) -> str:
    """Raise what nobody catches."""
    return str(governed.breaks())


@tool("complains")
def complains(id: int) -> str:
    """Say that it went wrong."""
    governed.lookup_result("complains")
    return f"Error: {REFUSED}"


@tool("shell")
def shell(user: str) -> str:
    """Run something."""
    return str(governed.lookup_result("shell"))


class Stopping(CrewAIAdapter):
    """CrewAI stops a tool for False and nothing else, where the adapter gives its reason."""

    async def _before_hook(self, context: Any) -> Any:
        try:
            return None if await super()._before_hook(context) is None else False
        except Exception:  # noqa: BLE001 - CrewAI swallows it, and the tool would run
            return False


class Wants(BaseLLM):
    left: list[tuple[str, dict[str, Any]]]
    heard: list[dict[str, Any]] = []

    def call(self, messages: Any, tools: Any = None, **_: Any) -> Any:
        self.heard[:] = [message for message in messages if message.get("role") == "tool"]
        if not self.left:
            return "Done."
        name, args = self.left.pop(0)
        function = {"name": name, "arguments": json.dumps(args)}
        return [{"id": f"call-{name}", "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        return True


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    clear_all_tool_call_hooks()
    (Stopping if advised else CrewAIAdapter)(guard, session_id=session).register()
    model = Wants(model="of-our-own", left=list(TOOL_CALLS))
    agent = Agent(
        role="Bot",
        goal="Work",
        backstory="None",
        llm=model,
        tools=[lookup, breaks, complains, shell],
    )
    task = Task(description="Go.", expected_output="Done.", agent=agent)
    await asyncio.to_thread(Crew(agents=[agent], tasks=[task]).kickoff)
    return {message["name"]: message["content"] for message in model.heard}


governed.run(
    work,
    lambda tool, result: (
        default_check(tool, result) and not str(result).startswith("Error executing")
    ),
)
