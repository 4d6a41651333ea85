"""Rows of the result shapes reference that the built-in checks follow, by number."""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Row(NamedTuple):
    key: str  # row number in part 2, or section number in part 1
    title: str

    @property
    def part(self) -> str:
        if not self.key.isdecimal():
            return self.key
        number = int(self.key)
        return "2.1" if number <= 28 else "2.2" if number <= 47 else "2.3"


# Sections of part 1 for standards that part 2 has no row for.
_STANDARDS: Final = {
    "1.2": "OpenTelemetry span of a tool",
    "1.6": "MCP request for input as an error",
    "1.7": "A2A task",
}
_SHAPES: Final = (
    "MCP tool failure",
    "MCP protocol failure",
    "MCP soft failure",
    "MCP interim answer",
    "JSON-RPC 2.0",
    "Anthropic tool result",
    "Anthropic server tools",
    "Anthropic code execution",
    "Anthropic API error",
    "OpenAI function output",
    "OpenAI hosted MCP call",
    "OpenAI shell call",
    "OpenAI API error",
    "OpenAI Agents SDK default",
    "Gemini function response",
    "Gemini code execution",
    "Bedrock Converse",
    "Bedrock agents",
    "LangChain tool message",
    "LangChain custom handler",
    "CrewAI",
    "Semantic Kernel",
    "AutoGen",
    "Pydantic AI",
    "Vercel AI SDK",
    "Strands",
    "Google ADK habit",
    "Sentry MCP spans",
    "HTTP status",
    "HTTP redirect or no content",
    "Problem details (RFC 9457)",
    "Slack style",
    "Telegram style",
    "Flag variants",
    "GraphQL",
    "gRPC",
    "Google JSON APIs",
    "AWS JSON APIs",
    "Lambda",
    "Lambda proxy",
    "Batch writes",
    "Elasticsearch",
    "HTTP 207 multi-status",
    "Stripe and GitHub style",
    "SOAP",
    "HTML instead of JSON",
    "Rate limiting",
    "Shell or subprocess",
    "Shell conventions",
    "Exit code 1 without an error",
    "Standard error text",
    "Python traceback",
    "Other runtimes",
    "Error: prefix",
    "SQL select, no rows",
    "SQL write, nothing changed",
    "SQL error",
    "Search, zero hits",
    "Null or missing",
    "Empty text",
    "Boolean result",
    "Textual booleans and numbers",
    "JSON inside of a text",
    "Wrapped results",
    "List of results",
    "Truncated or offloaded",
    "Schema mismatch",
    "Refusal or challenge page",
    "Slow success",
)

ROWS: Final[Mapping[str, Row]] = {
    row.key: row
    for row in (
        *(Row(str(number), title) for number, title in enumerate(_SHAPES, 1)),
        *(Row(section, title) for section, title in _STANDARDS.items()),
    )
}
