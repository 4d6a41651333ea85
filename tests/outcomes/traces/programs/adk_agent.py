"""Google ADK, which instruments itself, with a model that calls one tool."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from exporting import exported_spans
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types


class OneToolCall(BaseLlm):
    async def generate_content_async(
        self, llm_request: LlmRequest, *_: Any, **__: Any
    ) -> AsyncGenerator[LlmResponse, None]:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is not None:
            part = types.Part(text="done")
        else:
            part = types.Part.from_function_call(name="crm_lookup", args={"account": "A-2056"})
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def crm_lookup(account: str) -> dict[str, object]:
    """Look up an account."""
    return {"ok": False, "message": f"no account {account}"}


async def main() -> None:
    agent = LlmAgent(name="billing_bot", model=OneToolCall(model="fake"), tools=[crm_lookup])
    runner = InMemoryRunner(agent=agent, app_name="billing")
    session = await runner.session_service.create_session(app_name="billing", user_id="u-1")
    message = types.Content(role="user", parts=[types.Part(text="Look up the account")])
    async for _ in runner.run_async(user_id="u-1", session_id=session.id, new_message=message):
        pass


with exported_spans():
    asyncio.run(main())
