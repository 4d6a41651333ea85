"""Tool calls extracted from spans. A framework, client and server may each send a span per call.

Spans belong to one call if they have the same call id, or if one contains the other and both are of
the same tool.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from outcomes.traces.domain import conventions
from outcomes.traces.domain.span import SERVER, Span, Status, Trace

LONGEST_AGENT: Final = 128
LONGEST_NAME: Final = 1_024
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ToolCalls:
    items: list[dict[str, Any]]  # for POST outcomes
    tool_spans: int
    other_spans: int


def tool_calls(spans: Sequence[Span]) -> ToolCalls:
    trace = Trace(list(spans))
    of_tools = [span for span in spans if conventions.convention_of(span)]
    groups = _grouped(trace, of_tools)
    items = [_item(trace, group) for group in groups]
    return ToolCalls(items, len(of_tools), len(spans) - len(of_tools))


def _grouped(trace: Trace, spans: Iterable[Span]) -> list[list[Span]]:
    """Spans grouped by call, outermost first."""
    groups: dict[str, list[Span]] = {}
    for span in spans:
        groups.setdefault(_key(trace, span), []).append(span)
    return [sorted(group, key=lambda each: _depth(trace, each)) for group in groups.values()]


def _key(trace: Trace, span: Span) -> str:
    """Call id of the span or of a span around it, else the id of the outermost span."""
    outermost, name = span, conventions.tool_name(span)
    for each in trace.lineage(span):
        if not conventions.convention_of(each) or conventions.tool_name(each) != name:
            continue
        outermost = each
        if named := conventions.call_id(each):
            return f"{span.trace_id} {named}"
    return f"{span.trace_id} {outermost.span_id}"


def _depth(trace: Trace, span: Span) -> int:
    return sum(1 for _ in trace.lineage(span))


def _item(trace: Trace, group: list[Span]) -> dict[str, Any]:
    outer = group[0]
    item: dict[str, Any] = {
        "call_id": _call_id(group)[:LONGEST_NAME],
        "tool_name": conventions.tool_name(outer)[:LONGEST_NAME] or "unnamed",
        "session_id": conventions.session(trace, outer)[:LONGEST_NAME],
        "timestamp": _time(outer.start_ns),
        "metadata": {
            "otel": {
                "trace_id": outer.trace_id,
                "span_ids": [each.span_id for each in group],
                "convention": conventions.convention_of(outer),
            }
        },
    }
    if outer.end_ns > outer.start_ns:
        item["elapsed_ms"] = (outer.end_ns - outer.start_ns) / 1e6
    if agent := conventions.agent(trace, outer):
        item["agent_id"] = agent[:LONGEST_AGENT]
    if user := conventions.user(trace, outer):
        item["principal"] = {"user_id": user[:LONGEST_NAME]}
    arguments = next((each for span in group if (each := conventions.arguments(span))), None)
    if arguments is not None:
        item["tool_args"] = arguments
    return item | _outcome(group)


def _outcome(group: list[Span]) -> dict[str, Any]:
    failed = next((span for span in group if _is_error(span)), None)
    if failed is not None:
        return {"type": "failure", "error": _error(failed), "tool_success": False}
    outcome: dict[str, Any] = {"type": "execution_result"}
    reporting = next((span for span in group if conventions.has_result(span)), None)
    if reporting is not None:
        outcome["output"] = conventions.result(reporting)
    if any(span.status is Status.OK for span in group):
        outcome["tool_success"] = True
    return outcome


def _is_error(span: Span) -> bool:
    return span.status is Status.ERROR or bool(span.text("error.type"))


def _error(span: Span) -> str:
    # Some libraries put a full traceback into the status message.
    named = span.exception or span.status_message or span.text("error.type")
    return named or "reported as failed"


def _call_id(group: list[Span]) -> str:
    """Call id that all spans of a call lead to, in whatever post they arrive.

    The server's span knows its client only as its parent, so the client's span names the call. Call
    ids from models are at best unique within a conversation, so the trace id is included.
    """
    outer = group[0]
    of_mcp = [span for span in group if conventions.convention_of(span) == "mcp"]
    of_client = next((span for span in of_mcp if span.kind != SERVER), None)
    named = next(filter(None, map(conventions.call_id, group)), "")
    if of_client is not None:
        name = of_client.span_id
    elif named:
        name = named
    else:
        name = outer.parent_id if of_mcp and outer.parent_id else outer.span_id
    return f"otel-{outer.trace_id}-{name}"


def _time(nanoseconds: int) -> str:
    return (EPOCH + timedelta(microseconds=nanoseconds // 1_000)).isoformat()
