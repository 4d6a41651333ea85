"""OpenAI Agents under OpenInference, with a model that calls one tool."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool
from exporting import exported_spans
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor


class OneToolCall(Model):
    async def get_response(self, *arguments: Any, **options: Any) -> ModelResponse:
        inputs = options.get("input", arguments[1] if len(arguments) > 1 else "")
        if isinstance(inputs, list) and "function_call_output" in str(inputs):
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            item: Any = ResponseOutputMessage(
                id="m-1", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            item = ResponseFunctionToolCall(
                type="function_call",
                call_id="call_1",
                name="crm_lookup",
                arguments='{"account": "A-2056"}',
            )
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool
def crm_lookup(account: str) -> dict[str, object]:
    """Look up an account."""
    return {"ok": False, "message": f"no account {account}"}


with exported_spans() as provider:
    OpenAIAgentsInstrumentor().instrument(tracer_provider=provider)
    agent = Agent(name="billing-bot", model=OneToolCall(), tools=[crm_lookup])
    asyncio.run(Runner.run(agent, "Look up the account"))
