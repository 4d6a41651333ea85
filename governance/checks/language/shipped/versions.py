"""Versions of the built-in checks. Bump the number whenever a check's text changes.

Ordered by what they recognize: protocols, providers and frameworks, transports and services,
programs and data stores, plain values.
"""

from collections.abc import Mapping
from typing import Final

VERSIONS: Final[Mapping[str, int]] = {
    "mcp": 2,
    "json-rpc": 2,
    "a2a": 2,
    "opentelemetry": 2,
    "anthropic": 2,
    "openai": 2,
    "gemini": 2,
    "bedrock": 2,
    "langchain": 2,
    "crewai": 2,
    "semantic-kernel": 2,
    "autogen": 2,
    "pydantic-ai": 2,
    "vercel-ai": 2,
    "strands": 2,
    "google-adk": 2,
    "nanobot": 2,
    "http": 2,
    "http-content": 2,
    "flags": 2,
    "rest-errors": 2,
    "graphql": 2,
    "grpc": 2,
    "google-api": 2,
    "aws": 2,
    "elasticsearch": 2,
    "soap": 2,
    "html": 2,
    "challenge": 2,
    "shell": 2,
    "python-traceback": 2,
    "crashes": 2,
    "error-text": 2,
    "sql": 2,
    "sql-rows": 2,
    "search": 2,
    "batch": 2,
    "wrapped": 2,
    "plain-values": 2,
    "text-values": 2,
    "truncated": 2,
    "slow": 2,
}
