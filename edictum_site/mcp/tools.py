"""List of all tools, and of those that a key may use."""

from edictum_site.mcp import contracts, drafting, reading
from edictum_site.mcp.caller import Caller
from edictum_site.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = (*reading.TOOLS, *contracts.TOOLS, *drafting.TOOLS)


def tools_for(caller: Caller) -> list[Tool]:
    return [tool for tool in TOOLS if caller.may_write or not tool.needs_manage]
