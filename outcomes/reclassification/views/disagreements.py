"""Where agents report another verdict than the console gives: by tool, by agent, by check."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.checks.domain.success import DEFAULT
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables, table_file
from outcomes.core.scope import Scope
from outcomes.reclassification.queries.disagreements import Group, Judge, disagreements
from outcomes.reclassification.tables import DIFFERING, DISAGREEMENTS
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of


@require_safe
@member_page()
def disagreement_page(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request, of_agent=False)
    asks_groups = request.GET.get("table", "") == ""
    file = asks_groups and table_file(
        request,
        request.project,
        "disagreements",
        DISAGREEMENTS,
        lambda: (
            disagreements(request.project.pk, scope.environment, scope.since, scope.until).groups
        ),
    )
    if file:
        return file
    found = disagreements(request.project.pk, scope.environment, scope.since, scope.until)
    tables: Tables = {
        "agents": (DIFFERING, found.agents),
        "tools": (DIFFERING, found.tools),
    }
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    context = {
        "page_title": "Disagreements",
        "found": found,
        "agents": [(each, _calls(request, scope, each.name)) for each in found.agents],
        "groups": [
            (
                each,
                judge_words(each.judge) or "no check: a timeout or a failure",
                judge_words(each.reported_by) if each.reported_by else "",
                next_step(each),
            )
            for each in found.groups
        ],
        "is_in_part": found.counted < found.total,
    }
    return render(request, "reclassification/disagreements.html", context)


def next_step(group: Group) -> str:
    """How to mend it without making the right side wrong."""
    if not group.judge.name:
        return "Let the agent report its timeouts and failures as such."
    if group.is_behind:
        return "Update the check in the agent."
    if group.agent_said_failure:
        return "Look at a call first: the agent may know of a failure that the check misses."
    if group.judge.name == DEFAULT.name:
        return "Bind a check that knows this tool, then give it to the agent."
    return "If the check is right, give it to the agent by its name or exported."


def judge_words(judge: Judge) -> str:
    return judge.name if judge.version is None else f"{judge.name} v{judge.version}"


def _calls(request: MemberRequest, scope: Scope, agent: str) -> str:
    """The list of those very calls of one agent."""
    address = reverse("outcomes:calls", args=[request.project.slug])
    return with_query(address, **scope.query() | {"agent": agent, "show": "disagree"})
