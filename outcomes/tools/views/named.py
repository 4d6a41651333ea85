"""Look up the tool that a URL names, in the page's scope."""

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest
from outcomes.core.scope import Scope
from outcomes.tools.queries.tools import NamedTool, tool_named
from outcomes.web.addresses import named_id


def named_tool(request: MemberRequest, name: str, scope: Scope) -> NamedTool:
    tool = tool_named(request.project.pk, named_id(request, name), scope)
    if tool is None:
        raise NotFound("Tool not found.")
    return tool
