"""The slowest calls of a tool, and the agents that call it. A part of the page of a tool, with an
address of its own."""

from typing import Final

from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.models import Call
from outcomes.tools.queries.slowest import slowest_calls
from outcomes.tools.queries.tools import NamedTool, agents_of_tool
from outcomes.tools.tables import AGENTS_OF_TOOL
from outcomes.tools.views.named import named_tool
from outcomes.web.addresses import tool_url
from outcomes.web.call_columns import CALLS
from outcomes.web.paging import files_of, with_query
from outcomes.web.parts import shown_part
from outcomes.web.scope import scope_of

AGENTS_SHOWN: Final = 10


@require_safe
@member_page()
def tool_calls(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request)
    named = named_tool(request, request.GET.get("of", ""), scope)
    if (file := _file(request, named, scope)) is not None:
        return file
    slug, tool = request.project.slug, named.tool
    address = with_query(reverse("outcomes:tool_calls", args=[slug]), of=tool.name, **scope.query())
    agents = agents_of_tool(named, scope)
    context = {
        "page_title": tool.name,
        "name": tool.name,
        "tool_at": tool_url(slug, tool.name, **scope.query()),
        "what": "its slowest calls",
        "agents": [
            (each, tool_url(slug, tool.name, **scope.query() | {"agent": each.name}))
            for each in agents[:AGENTS_SHOWN]
        ],
        "agents_of": len(agents),
        "agents_files": files_of(with_query(address, table="agents")),
        "slowest": slowest_calls(named, scope),
        "slowest_files": files_of(address),
    }
    return shown_part(request, "tools/_tool_calls.html", "tools/tool_part.html", context)


def _file(request: MemberRequest, named: NamedTool, scope: Scope) -> HttpResponseBase | None:
    if request.GET.get("table") == "agents":
        return table_file(
            request,
            request.project,
            "agents-of-a-tool",
            AGENTS_OF_TOOL,
            lambda: agents_of_tool(named, scope),
        )

    def calls() -> list[Call]:
        return slowest_calls(named, scope).calls

    return table_file(request, request.project, "slowest-calls", CALLS, calls)
