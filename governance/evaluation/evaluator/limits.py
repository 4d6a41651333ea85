"""The limits of a session rule as numbers that can be sent, and of tools that can be called."""

from typing import Any

# Exact in every language; no session has as many calls. A message has none beyond 64 bits.
MOST = 2**53


def limits_in(rule: dict[str, Any]) -> dict[str, Any]:
    """The library takes 3.0 as well, integers of any length, and whatever YAML has for keys."""
    return {
        name: _by_tool(value) if isinstance(value, dict) else _integer(value)
        for name, value in rule["limits"].items()
    }


def _by_tool(values: dict[Any, Any]) -> dict[str, int]:
    # A limit on 1 or on true is a limit on no tool, and so is one on a name that holds NUL.
    return {
        tool: _integer(value)
        for tool, value in values.items()
        if isinstance(tool, str) and "\0" not in tool
    }


def _integer(value: int | float) -> int:
    return min(int(value), MOST)
