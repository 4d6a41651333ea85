"""Agno: an `Agent` with a model of our own and the adapter as its tool hook."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse
from edictum.adapters.agno import AgnoAdapter
from edictum_site_client import default_check

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, TOOL_CALLS, Seen


def lookup(id: int) -> dict[str, Any]:
    """Find a customer."""
    return governed.lookup_result()


def breaks(id: int) -> str:
    """Raise what nobody catches."""
    return str(governed.breaks())


def complains(id: int) -> str:
    """Say that it went wrong, as Agno's own tools do."""
    governed.lookup_result("complains")
    return f"Error: {REFUSED}"


def shell(user: str) -> str:
    """Run something."""
    return str(governed.lookup_result("shell"))


@dataclass
class Wants(Model):
    id: str = "of-our-own"
    left: Iterator[tuple[str, dict[str, Any]]] = field(default_factory=lambda: iter(TOOL_CALLS))

    def invoke(self, *_: Any, **__: Any) -> ModelResponse:
        name, args = next(self.left, (None, {}))
        if name is None:
            return ModelResponse(role="assistant", content="Done.")
        function = {"name": name, "arguments": json.dumps(args)}
        call = {"id": f"call-{name}", "type": "function", "function": function}
        return ModelResponse(role="assistant", tool_calls=[call])

    async def ainvoke(self, *_: Any, **__: Any) -> ModelResponse:
        return self.invoke()

    def invoke_stream(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the framework asked for a stream, which this agent never wants")

    ainvoke_stream = _parse_provider_response = _parse_provider_response_delta = invoke_stream


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    hook = AgnoAdapter(guard, session_id=session).as_tool_hook()
    agent = Agent(
        model=Wants(),
        tools=[lookup, breaks, complains, shell],
        tool_hooks=[hook],
        telemetry=False,
    )
    result = await asyncio.to_thread(agent.run, "Go.")
    return {
        str(tool.tool_name): {"result": tool.result, "tool_call_error": tool.tool_call_error}
        for tool in result.tools or []
    }


governed.run(work, default_check)
