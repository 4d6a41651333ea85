"""The rules of live contracts that name a tool: a part of the tool's page, which cannot know."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.auth import MemberRequest, member_page
from governance.queries.naming_rules import live_rules_naming


@require_safe
@member_page()
def tool_rules(request: MemberRequest) -> HttpResponse:
    tool, environment = request.GET.get("of", ""), request.GET.get("environment", "")
    context = {
        "page_title": f"Rules that name {tool}",
        "tool": tool,
        "rules": live_rules_naming(request.project, tool, environment),
        "place": environment,
    }
    is_alone = request.headers.get("HX-Request") == "true"
    template = "governance/_tool_rules.html" if is_alone else "governance/tool_rules.html"
    return render(request, template, context)
