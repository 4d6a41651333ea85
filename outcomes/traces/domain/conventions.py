"""Attributes that mark tool calls in each instrumentation, and functions that read any of them.

Names overlap and libraries mix them, so a value is looked up under every name, most common first.
"""

import json
from typing import Final

from governance.core.json_value import Json
from outcomes.traces.domain.span import Span, Trace

MARKS: Final = {
    "mcp": ("mcp.method.name", "tools/call"),
    "gen_ai": ("gen_ai.operation.name", "execute_tool"),
    "openinference": ("openinference.span.kind", "TOOL"),
    "openllmetry": ("traceloop.span.kind", "tool"),
    "ai_sdk": ("ai.operationId", "ai.toolCall"),
    "langfuse": ("langfuse.observation.type", "tool"),
}
_NAMES: Final = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name", "traceloop.entity.name")
_CALL_IDS: Final = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")
_ARGUMENTS: Final = (
    *("gen_ai.tool.call.arguments", "ai.toolCall.args", "tool_arguments"),
    *("gcp.vertex.agent.tool_call_args", "traceloop.entity.input"),
    *("langfuse.observation.input", "input.value"),
)
_RESULTS: Final = (
    *("gen_ai.tool.call.result", "ai.toolCall.result", "tool_response"),
    *("gcp.vertex.agent.tool_response", "traceloop.entity.output"),
    *("langfuse.observation.output", "output.value"),
)
_SESSIONS: Final = (
    *("gen_ai.conversation.id", "session.id", "langfuse.session.id"),
    *("traceloop.association.properties.session_id", "ai.telemetry.metadata.sessionId"),
    *("ai.telemetry.metadata.session_id", "gcp.vertex.agent.session_id", "mcp.session.id"),
)
_AGENTS: Final = ("gen_ai.agent.name", "agent.name", "gen_ai.agent.id", "ai.telemetry.functionId")
_USERS: Final = ("enduser.id", "user.id", "langfuse.user.id", "ai.telemetry.metadata.userId")
_PREFIXES: Final = ("execute_tool ", "tools/call ", "running tool: ", "ai.toolCall ")
_UNNAMED: Final = "unknown_service"  # the SDKs' default name of a service


def convention_of(span: Span) -> str:
    """Convention that marks the span as a tool call, or empty for other spans."""
    for convention, (name, value) in MARKS.items():
        if span.attributes.get(name) == value:
            return convention
    return ""


def tool_name(span: Span) -> str:
    name = span.text(*_NAMES)
    if name:
        return name
    for prefix in _PREFIXES:
        if span.name.startswith(prefix):
            return span.name.removeprefix(prefix)
    return span.name.removesuffix(".tool")


def call_id(span: Span) -> str:
    return span.text(*_CALL_IDS)


def arguments(span: Span) -> Json:
    """Arguments of the call, or None if the span has none."""
    value = _first(span, _ARGUMENTS)
    return _inputs(value) if "traceloop.entity.input" in span.attributes else value


def has_result(span: Span) -> bool:
    return any(name in span.attributes for name in _RESULTS)


def result(span: Span) -> Json:
    value = _first(span, _RESULTS)
    if "traceloop.entity.output" in span.attributes and isinstance(value, dict):
        return value.get("output", value)
    return value


def session(trace: Trace, span: Span) -> str:
    """Conversation id of the span or its ancestors, else the trace id."""
    return _inherited(trace, span, _SESSIONS) or span.trace_id


def agent(trace: Trace, span: Span) -> str:
    """Agent named by the span or an ancestor, else the service."""
    service = span.resource.get("service.name")
    named = service if isinstance(service, str) and not service.startswith(_UNNAMED) else ""
    return _inherited(trace, span, _AGENTS) or named


def user(trace: Trace, span: Span) -> str:
    return _inherited(trace, span, _USERS)


def _inherited(trace: Trace, span: Span, names: tuple[str, ...]) -> str:
    lineage = list(trace.lineage(span))
    texts = (each.text(name) for name in names for each in lineage)
    return next(filter(None, texts), "")


def _first(span: Span, names: tuple[str, ...]) -> Json:
    value = next((span.attributes[name] for name in names if name in span.attributes), None)
    return _parsed(value) if isinstance(value, str) else value


def _parsed(text: str) -> Json:
    """Parsed JSON object, list, string or null. Any other text stays as it is."""
    if text[:1] not in ("{", "[", '"') and text != "null":
        return text
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _inputs(value: Json) -> Json:
    """Arguments within the input recorded by OpenLLMetry."""
    if not isinstance(value, dict):
        return value
    for name in ("inputs", "kwargs"):
        if isinstance(inner := value.get(name), dict) and inner:
            return inner
    if isinstance(text := value.get("input_str"), str):
        return _parsed(text)
    return value.get("args", value)
