"""Google ADK: an `InMemoryRunner` with a model of our own and the adapter as its plugin."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

from edictum.adapters.google_adk import GoogleADKAdapter
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, Seen, each_alone


def lookup(id: int) -> dict[str, Any]:
    """Find a customer."""
    return governed.lookup_result()


def breaks(id: int) -> dict[str, Any]:
    """Raise what nobody catches."""
    return dict(governed.breaks())


def complains(id: int) -> dict[str, Any]:
    """Say that it went wrong, as ADK asks of its tools."""
    governed.lookup_result("complains")
    return {"status": "error", "error": REFUSED}


def shell(user: str) -> dict[str, Any]:
    """Run something."""
    return governed.lookup_result("shell")


class Wants(BaseLlm):
    model: str = "of-our-own"
    parts: Iterator[types.Part]

    async def generate_content_async(
        self, llm_request: LlmRequest, **_: Any
    ) -> AsyncGenerator[LlmResponse, None]:
        part = next(self.parts, types.Part(text="Done."))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    plugin = GoogleADKAdapter(guard, session_id=session).as_plugin()

    async def one(name: str, args: dict[str, Any]) -> Any:
        call = types.FunctionCall(id=f"call-{name}", name=name, args=args)
        model = Wants(parts=iter([types.Part(function_call=call)]))
        agent = LlmAgent(name="bot", model=model, tools=[lookup, breaks, complains, shell])
        runner = InMemoryRunner(app=App(name="adapters", root_agent=agent, plugins=[plugin]))
        talk = await runner.session_service.create_session(app_name="adapters", user_id="ada")
        go = types.Content(role="user", parts=[types.Part(text="Go.")])
        answers = []
        async for event in runner.run_async(user_id="ada", session_id=talk.id, new_message=go):
            answers += [answer.response for answer in event.get_function_responses()]
        return answers[0]

    return await each_alone(one)


governed.run(work)
