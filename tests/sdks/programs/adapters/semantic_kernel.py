"""Semantic Kernel: functions called for a chat service of our own, with the adapter's filter."""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from edictum.adapters.semantic_kernel import SemanticKernelAdapter
from edictum_site_client import default_check
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.connectors.ai.function_choice_behavior import FunctionChoiceBehavior
from semantic_kernel.connectors.ai.prompt_execution_settings import PromptExecutionSettings
from semantic_kernel.contents import (
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
)
from semantic_kernel.functions import (
    FunctionResult,
    KernelFunctionMetadata,
    kernel_function,
)

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, Seen, each_alone


class Tools:
    @kernel_function(name="lookup")
    def lookup(self, id: int) -> dict[str, Any]:
        return governed.lookup_result()

    @kernel_function(name="breaks")
    def breaks(self, id: int) -> str:
        return str(governed.breaks())

    @kernel_function(name="complains")
    def complains(self, id: int) -> str:
        governed.lookup_result("complains")
        return f"Error: {REFUSED}"

    @kernel_function(name="reports")
    def reports(self, id: int) -> FunctionResult:
        governed.lookup_result("reports")
        about = KernelFunctionMetadata(name="reports", is_prompt=False)
        return FunctionResult(function=about, value="", metadata={"error": REFUSED})

    @kernel_function(name="shell")
    def shell(self, user: str) -> str:
        return str(governed.lookup_result("shell"))


class Wants(ChatCompletionClientBase):
    SUPPORTS_FUNCTION_CALLING: ClassVar[bool] = True
    calls: Iterator[FunctionCallContent]

    async def _inner_get_chat_message_contents(
        self, chat_history: ChatHistory, settings: PromptExecutionSettings
    ) -> list[ChatMessageContent]:
        call = next(self.calls, None)
        if call is None:
            return [ChatMessageContent(role="assistant", content="Done.")]
        return [ChatMessageContent(role="assistant", items=[call])]


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    kernel = Kernel()
    kernel.add_plugin(Tools(), "tools")
    SemanticKernelAdapter(guard, session_id=session).register(kernel)

    async def one(name: str, args: dict[str, Any]) -> Any:
        call = FunctionCallContent(
            id=f"call-{name}", name=f"tools-{name}", arguments=json.dumps(args)
        )
        history = ChatHistory()
        history.add_user_message("Go.")
        await Wants(ai_model_id="of-our-own", calls=iter([call])).get_chat_message_contents(
            history,
            PromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto()),
            kernel=kernel,
        )
        items = [item for message in history.messages for item in message.items]
        (answer,) = (item for item in items if isinstance(item, FunctionResultContent))
        result = answer.result
        return result.value if isinstance(result, FunctionResult) else result

    return await each_alone(one)


governed.TOOL_CALLS.insert(3, governed.REPORTS)
governed.run(
    work,
    lambda tool, result: (
        default_check(tool, result.value)
        and not result.metadata.get("error")
        and not str(result.value).startswith("An error occurred while invoking")
    ),
)
