"""Claude Agent SDK: the CLI that it brings talks to a model of our own, with the adapter's hooks.

The hooks are bridged as they are in the adapter's own guide: what comes before a tool and what
comes after it. Our tools live in a server inside of this process.
"""

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    ToolResultBlock,
    UserMessage,
    create_sdk_mcp_server,
    query,
    tool,
)
from edictum.adapters.claude_agent_sdk import ClaudeAgentSDKAdapter

from tests.sdks.programs.adapters import governed
from tests.sdks.programs.adapters.governed import REFUSED, TOOL_CALLS, Seen

PREFIX = "mcp__tools__"


class Model(BaseHTTPRequestHandler):
    """Wants the next tool as long as fewer have answered; a proxy for all else, which refuses."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answered = str(body.get("messages", "")).count("'type': 'tool_result'")
        expected = (
            TOOL_CALLS[answered] if body.get("tools") and answered < len(TOOL_CALLS) else None
        )
        events = b"".join(
            f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
            for event in spoken(body.get("model", ""), expected)
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(events)))
        self.end_headers()
        self.wfile.write(events)

    def do_CONNECT(self) -> None:
        governed.outside.append(self.path)
        self.send_error(502)

    def do_HEAD(self) -> None:
        self.send_error(404)

    do_GET = do_HEAD

    def log_message(self, *_: Any) -> None:
        pass


def spoken(model: str, call: tuple[str, dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg", "type": "message", "role": "assistant", "content": [], "model": model}
    ends = {"stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": message | ends | {"usage": usage}}
    if call is None:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "Done."}
    else:
        name, args = call
        block = {"type": "tool_use", "id": f"toolu_{name}", "name": f"{PREFIX}{name}", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(args)}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


@contextmanager
def a_model() -> Iterator[dict[str, str]]:
    """Environment of the CLI: a folder of its own, and this model."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield {
            "HOME": folder,
            "CLAUDE_CONFIG_DIR": folder,
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": here,
            "HTTP_PROXY": here,
            "HTTPS_PROXY": here,
            "NO_PROXY": "127.0.0.1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
    server.shutdown()
    server.server_close()


@tool("lookup", "Find a customer", {"id": int})
async def lookup(args: Any) -> dict[str, Any]:
    return message(governed.lookup_result())


@tool("breaks", "Raise what nobody catches", {"id": int})
async def breaks(args: Any) -> dict[str, Any]:
    return message(governed.breaks())


@tool("complains", "Say that it went wrong", {"id": int})
async def complains(args: Any) -> dict[str, Any]:
    governed.lookup_result("complains")
    return message(REFUSED) | {"is_error": True}


@tool("shell", "Run something", {"user": str})
async def shell(args: Any) -> dict[str, Any]:
    return message(governed.lookup_result("shell"))


def message(value: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": str(value)}]}


def hooks_of(adapter: ClaudeAgentSDKAdapter, *, advised: bool) -> dict[Any, list[HookMatcher]]:
    callables = adapter.to_hook_callables()

    async def before(answer: Any, use: str | None, _: Any) -> Any:
        name = answer["tool_name"].removeprefix(PREFIX)
        return await callables["pre_tool_use"](name, answer["tool_input"], use)

    async def after(answer: Any, use: str | None, _: Any) -> Any:
        return await callables["post_tool_use"](
            tool_use_id=use, tool_response=answer["tool_response"]
        )

    async def failed(answer: Any, use: str | None, _: Any) -> Any:
        response = {"is_error": True, "error": answer["error"]}
        return await callables["post_tool_use"](tool_use_id=use, tool_response=response)

    if not advised:
        bridge: dict[str, Any] = {"PreToolUse": before, "PostToolUse": after}
        return {name: [HookMatcher(hooks=[hook])] for name, hook in bridge.items()}
    return {
        "PreToolUse": [HookMatcher(hooks=[before], on_failure="block")],
        "PostToolUse": [HookMatcher(hooks=[after])],
        "PostToolUseFailure": [HookMatcher(hooks=[failed])],
    }


async def work(guard: Any, session: str, *, advised: bool) -> Seen:
    seen: Seen = {}
    adapter = ClaudeAgentSDKAdapter(guard, session_id=session)
    server = create_sdk_mcp_server("tools", tools=[lookup, breaks, complains, shell])
    with a_model() as variables:
        options = ClaudeAgentOptions(
            mcp_servers={"tools": server},
            allowed_tools=[f"{PREFIX}{name}" for name, _ in TOOL_CALLS],
            hooks=hooks_of(adapter, advised=advised),
            env=variables,
            cwd=variables["HOME"],
            setting_sources=[],
            system_prompt="Work.",
            max_turns=10,
            model="claude-of-our-own",
        )
        async for message in query(prompt="Go.", options=options):
            for block in message.content if isinstance(message, UserMessage) else []:
                if isinstance(block, ToolResultBlock):
                    name = block.tool_use_id.removeprefix("toolu_")
                    seen[name] = {"content": block.content, "is_error": block.is_error}
    return seen


governed.run(work)
