"""Which version each shipped check stands at: its text may change only with its number.

They stand here in the order of the shapes they look for: protocols, providers and frameworks,
transports and services, programs and data stores, plain values.
"""

from collections.abc import Mapping
from typing import Final

VERSIONS: Final[Mapping[str, int]] = {
    "mcp": 1,
    "json-rpc": 1,
    "a2a": 1,
    "opentelemetry": 1,
    "anthropic": 1,
    "openai": 1,
    "gemini": 1,
    "bedrock": 1,
    "langchain": 1,
    "crewai": 1,
    "semantic-kernel": 1,
    "autogen": 1,
    "pydantic-ai": 1,
    "vercel-ai": 1,
    "strands": 1,
    "google-adk": 1,
    "nanobot": 1,
    "http": 1,
    "http-content": 1,
    "flags": 1,
    "rest-errors": 1,
    "graphql": 1,
    "grpc": 1,
    "google-api": 1,
    "aws": 1,
    "elasticsearch": 1,
    "soap": 1,
    "html": 1,
    "challenge": 1,
    "shell": 1,
    "python-traceback": 1,
    "crashes": 1,
    "error-text": 1,
    "sql": 1,
    "sql-rows": 1,
    "search": 1,
    "batch": 1,
    "wrapped": 1,
    "plain-values": 1,
    "text-values": 1,
    "truncated": 1,
    "slow": 1,
}
