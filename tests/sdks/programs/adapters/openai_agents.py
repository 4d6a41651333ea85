"""OpenAI Agents: a `Runner` with a model of our own and the adapter's guardrails on each tool."""

import json
import os
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from edictum.adapters.openai_agents import OpenAIAgentsAdapter
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import TOOL_CALLS, Seen

os.environ.setdefault("OPENAI_API_KEY", "none")
set_tracing_disabled(disabled=True)


class Wants(Model):
    def __init__(self) -> None:
        self._left = iter(TOOL_CALLS)

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        name, args = next(self._left, (None, {}))
        words: Any = (
            ResponseFunctionToolCall(
                arguments=json.dumps(args), call_id=f"call-{name}", name=name, type="function_call"
            )
            if name
            else ResponseOutputMessage(
                id="done",
                content=[ResponseOutputText(annotations=[], text="Done.", type="output_text")],
                role="assistant",
                status="completed",
                type="message",
            )
        )
        return ModelResponse(output=[words], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the framework asked for a stream, which this agent never wants")


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    before, after = OpenAIAgentsAdapter(guard, session_id=session).as_guardrails()
    advice = {"failure_error_function": lambda _, error: f"Error: {error}"} if advised else {}
    governed_tool: Any = function_tool(
        tool_input_guardrails=[before], tool_output_guardrails=[after], **advice
    )

    @governed_tool
    def lookup(id: int) -> dict[str, Any]:
        return governed.lookup_result()

    @governed_tool
    def breaks(id: int) -> str:
        return str(governed.breaks())

    @governed_tool
    def complains(id: int) -> dict[str, Any]:
        governed.lookup_result("complains")
        return {"is_error": True, "why": governed.REFUSED}

    @governed_tool
    def shell(user: str) -> str:
        return str(governed.lookup_result("shell"))

    agent = Agent("Bot", tools=[lookup, breaks, complains, shell], model=Wants())
    result = await Runner.run(agent, "Go.")
    outputs = [item for item in result.to_input_list() if "output" in item]
    return {
        str(item["call_id"]).removeprefix("call-"): item["output"]
        for item in outputs
        if item.get("type") == "function_call_output"
    }


governed.run(work)
