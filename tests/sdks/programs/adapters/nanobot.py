"""Nanobot: its `AgentRunner` with a model of our own and the adapter around its registry."""

from collections.abc import Iterator
from typing import Any

from edictum.adapters.nanobot import GovernedToolRegistry
from edictum_site_client import default_check
from nanobot.agent.runner import AgentRunner, AgentRunSpec
from nanobot.agent.tools.base import Tool, ToolResult
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.providers.base import LLMProvider, LLMResponse, ToolCallRequest
from nanobot.utils.llm_runtime import LLMRuntime

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, TOOL_CALLS, Seen


class OfOurOwn(Tool):
    parameter, kind = "id", "integer"

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    @property
    def description(self) -> str:
        return "One of the four."

    @property
    def parameters(self) -> dict[str, Any]:
        properties = {self.parameter: {"type": self.kind}}
        return {"type": "object", "properties": properties, "required": [self.parameter]}


class Lookup(OfOurOwn):
    async def execute(self, **_: Any) -> Any:
        return str(governed.lookup_result())


class Breaks(OfOurOwn):
    async def execute(self, **_: Any) -> Any:
        return governed.breaks()


class Complains(OfOurOwn):
    async def execute(self, **_: Any) -> Any:
        governed.lookup_result("complains")
        return ToolResult.error(f"There was no answer: {REFUSED}")


class Shell(OfOurOwn):
    parameter, kind = "user", "string"

    async def execute(self, **_: Any) -> Any:
        return str(governed.lookup_result("shell"))


class Governed(GovernedToolRegistry):
    """With what nanobot's runner asks of a registry, and the adapter's has not."""

    def get_definitions(self) -> Any:
        return self._inner.get_definitions()


class Wants(LLMProvider):
    def __init__(self) -> None:
        super().__init__(provider_name="of-our-own")
        self._left: Iterator[tuple[str, dict[str, Any]]] = iter(TOOL_CALLS)

    async def chat(self, *_: Any, **__: Any) -> LLMResponse:
        name, args = next(self._left, (None, {}))
        if name is None:
            return LLMResponse("Done.")
        call = ToolCallRequest(f"call-{name}", name, args)
        return LLMResponse(None, [call], finish_reason="tool_calls")

    def get_default_model(self) -> str:
        return "of-our-own"


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    registry = ToolRegistry()
    for one in (Lookup(), Breaks(), Complains(), Shell()):
        registry.register(one)
    model = Wants()
    spec = AgentRunSpec(
        initial_messages=[{"role": "user", "content": "Go."}],
        tools=Governed(registry, guard, session_id=session),
        runtime=LLMRuntime.capture(model, "of-our-own", context_window_tokens=100_000),
        max_iterations=10,
        max_tool_result_chars=10_000,
    )
    result = await AgentRunner().run(spec)
    fields = {event["name"]: event["status"] for event in result.tool_events}
    return {
        str(message["name"]): {"content": message["content"], "status": fields[message["name"]]}
        for message in result.messages
        if message["role"] == "tool"
    }


governed.run(
    work,
    lambda tool, result: not getattr(result, "is_error", False) and default_check(tool, result),
)
