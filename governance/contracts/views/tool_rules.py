"""Rules of deployed contracts that name a tool: a part of the tool's page, loaded separately."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.contracts.queries.naming_rules import live_rules_naming
from governance.contracts.tables import NAMING_RULES
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables


@require_safe
@member_page()
def tool_rules(request: MemberRequest) -> HttpResponseBase:
    tool, environment = request.GET.get("of", ""), request.GET.get("environment", "")
    context: dict[str, Any] = {
        "page_title": f"Rules that name {tool}",
        "tool": tool,
        "rules": live_rules_naming(request.project, tool, environment),
        "place": environment,
    }
    is_alone = request.headers.get("HX-Request") == "true"
    template = "contracts/_tool_rules.html" if is_alone else "contracts/tool_rules.html"
    tables: Tables = {"rules": (NAMING_RULES, context["rules"])}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, template, context)
