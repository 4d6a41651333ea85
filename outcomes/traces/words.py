"""Texts of the OpenTelemetry page."""

from collections.abc import Sequence

from outcomes.models import SpanTotal


def sentence(totals: Sequence[SpanTotal]) -> str:
    """Headline: "1,204 spans received, 31 of them tool calls"."""
    if not totals:
        return "No spans received yet"
    calls = sum(row.tool_calls for row in totals)
    spans = sum(row.tool_spans + row.other_spans for row in totals)
    if not calls:
        return f"{spans:,} spans received, no tool calls among them"
    return f"{spans:,} spans received, {calls:,} tool call{'' if calls == 1 else 's'}"
