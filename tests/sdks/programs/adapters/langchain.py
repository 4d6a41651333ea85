"""LangChain: `create_agent` with a model of our own and the adapter around each tool call."""

import asyncio
from typing import Any

from edictum.adapters.langchain import LangChainAdapter
from edictum_site_client import default_check
from langchain.agents import create_agent
from langchain.agents.middleware import wrap_tool_call
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import ToolException, tool

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, Seen, each_alone


@tool
def lookup(id: int) -> dict[str, Any]:
    """Find a customer."""
    return governed.lookup_result()


@tool
def breaks(id: int) -> str:
    """Raise what nobody catches."""
    return str(governed.breaks())


def complains(id: int) -> str:
    """Raise what LangChain hands to the model as an error."""
    governed.lookup_result("complains")
    raise ToolException(REFUSED)


@tool
def reports(id: int) -> str:
    """Say in its text that it failed."""
    governed.lookup_result("reports")
    return f"Error: {REFUSED}"


@tool
def shell(user: str) -> str:
    """Run something."""
    return str(governed.lookup_result("shell"))


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> "Model":
        return self


def wants(name: str, args: dict[str, Any]) -> Model:
    call = {"name": name, "args": args, "id": f"call-{name}", "type": "tool_call"}
    answers = [AIMessage("", tool_calls=[call]), AIMessage("Done.")]
    return Model(messages=iter(answers))


@wrap_tool_call
def answered(request: Any, handler: Any) -> Any:
    """Goes around the tool and inside of the adapter, which else never hears of an exception."""
    try:
        return handler(request)
    except (OSError, ValueError) as error:
        return ToolMessage(f"Error: {error}", tool_call_id=request.tool_call["id"], status="error")


def one(adapter: LangChainAdapter, advice: list[Any], name: str, args: dict[str, Any]) -> Any:
    handled = tool(complains)
    handled.handle_tool_error = True
    agent: Any = create_agent(
        wants(name, args),
        [lookup, breaks, handled, reports, shell],
        middleware=[wrap_tool_call(adapter.as_tool_wrapper()), *advice],
    )
    messages = agent.invoke({"messages": [("user", "Go.")]})["messages"]
    (answer,) = (message for message in messages if isinstance(message, ToolMessage))
    return {"content": answer.content, "status": answer.status}


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    adapter = LangChainAdapter(guard, session_id=session)
    advice = [answered] if advised else []
    return await each_alone(lambda name, args: asyncio.to_thread(one, adapter, advice, name, args))


governed.TOOL_CALLS.insert(3, governed.REPORTS)
governed.run(
    work,
    lambda tool, result: result.status != "error" and default_check(tool, result.content),
)
