"""Limits of a session rule as numbers that can be sent, for tools that can be called."""

from typing import Any

# Exact in every language, and more calls than any session has. Messages allow at most 64 bits.
MOST = 2**53


def limits_in(rule: dict[str, Any]) -> dict[str, Any]:
    """Limits as integers. The library also accepts 3.0, huge integers, and any YAML key."""
    return {
        name: _by_tool(value) if isinstance(value, dict) else _integer(value)
        for name, value in rule["limits"].items()
    }


def _by_tool(values: dict[Any, Any]) -> dict[str, int]:
    # Keys such as 1 and true, and names with NUL, match no tool, so they are dropped.
    return {
        tool: _integer(value)
        for tool, value in values.items()
        if isinstance(tool, str) and "\0" not in tool
    }


def _integer(value: int | float) -> int:
    return min(int(value), MOST)
