"""Slowest calls of a tool, and the agents that call it: a part of its page with its own URL."""

from collections import Counter
from typing import Final

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.exports import offer_table
from governance.web.table_files import table_file
from outcomes.core.scope import Scope
from outcomes.figures.queries.doubt import doubt_in
from outcomes.models import Call
from outcomes.tools.queries.slowest import slowest_calls
from outcomes.tools.queries.tools import NamedTool, agents_of_tool
from outcomes.tools.tables import AGENTS_OF_TOOL
from outcomes.tools.views.named import named_tool
from outcomes.web.addresses import tool_url
from outcomes.web.paging import shown_part
from outcomes.web.scope import scope_of
from outcomes.web.tables import CALLS

AGENTS_SHOWN: Final = 10


@require_safe
@member_page()
def tool_calls(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request)
    named = named_tool(request, request.GET.get("of", ""), scope)
    if (file := _file(request, named, scope)) is not None:
        return file
    offer_table(request, "agents", table="agents")
    slug, tool = request.project.slug, named.tool
    doubt = doubt_in(request.project.pk, scope, tool=tool.name)
    agents = agents_of_tool(named, scope, Counter(call.agent for call in doubt.calls))
    context = {
        "page_title": tool.name,
        "name": tool.name,
        "tool_at": tool_url(slug, tool.name, **scope.query()),
        "what": "slowest calls and agents",
        "agents": [
            (each, tool_url(slug, tool.name, **scope.query() | {"agent": each.name}))
            for each in agents[:AGENTS_SHOWN]
        ],
        "agents_of": len(agents),
        "target": tool.success_target,
        "slowest": slowest_calls(named, scope),
    }
    return shown_part(request, "tools/_tool_calls.html", "tools/tool_part.html", context)


def _file(request: MemberRequest, named: NamedTool, scope: Scope) -> HttpResponseBase | None:
    if request.GET.get("table") == "agents":
        return table_file(
            request,
            request.project,
            "agents-of-a-tool",
            AGENTS_OF_TOOL,
            lambda: agents_of_tool(named, scope, {}),
        )

    def calls() -> list[Call]:
        return slowest_calls(named, scope).calls

    return table_file(request, request.project, "slowest-calls", CALLS, calls)
