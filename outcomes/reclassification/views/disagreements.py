"""Page of disagreements: calls for which agent and console give different verdicts."""

from typing import NamedTuple

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.checks.domain import DEFAULT
from governance.core.figures import counted
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables, table_file
from outcomes.core.scope import Scope
from outcomes.reclassification.queries.disagreements import (
    Disagreements,
    Group,
    Judge,
    disagreements,
)
from outcomes.reclassification.tables import DIFFERING, DISAGREEMENTS
from outcomes.web.addresses import call_url
from outcomes.web.paging import with_query
from outcomes.web.scope import scope_of


@require_safe
@member_page()
def disagreement_page(request: MemberRequest) -> HttpResponseBase:
    scope = scope_of(request, by_agent=False)
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
    disagreements_shown = disagreements(
        request.project.pk, scope.environment, scope.since, scope.until
    )
    tables: Tables = {
        "agents": (DIFFERING, disagreements_shown.agents),
        "tools": (DIFFERING, disagreements_shown.tools),
    }
    if (file := one_of_tables(request, request.project, tables)) is not None:
        return file
    context = {
        "page_title": "Disagreements",
        "sentence": sentence(disagreements_shown, scope),
        "found": disagreements_shown,
        "agents": [
            (each, _calls(request, scope, each.name)) for each in disagreements_shown.agents
        ],
        "groups": [
            (
                each,
                judge_words(each.judge) or "none: timeout or failure",
                judge_words(each.reported_by) if each.reported_by else "",
                next_step(each, request.project.slug),
            )
            for each in disagreements_shown.groups
        ],
        "is_in_part": disagreements_shown.counted < disagreements_shown.total,
    }
    return render(request, "reclassification/disagreements.html", context)


def sentence(disagreements_shown: Disagreements, scope: Scope) -> str:
    """Headline: Agents and checks disagree on 5 of 1,204 calls in the last 24 hours"""
    place = f" in {scope.environment[:24]}" if scope.environment else ""
    when = f"{scope.in_words}{place}"
    if not disagreements_shown.judged:
        return f"No verdicts {when}"
    calls = counted(disagreements_shown.judged, "call")
    if not disagreements_shown.total:
        return f"Agents and checks agree on all {calls} {when}"
    return f"Agents and checks disagree on {disagreements_shown.total:,} of {calls} {when}"


class NextStep(NamedTuple):
    words: str
    url: str
    label: str


def next_step(group: Group, slug: str) -> NextStep:
    """Suggested way to resolve a disagreement without breaking the side that is right."""
    check = f"`{group.judge.name}`"
    at_check = reverse("governance:check", args=[slug, group.judge.name or DEFAULT.name])
    at_call = call_url(slug, group.call_id, group.environment)
    if not group.judge.name:
        return NextStep("Report timeouts and failures as failures in the agent.", at_call, "Call")
    if group.is_behind:
        return NextStep(f"Update {check} in the agent.", at_check, f"v{group.judge.version}")
    if group.agent_only_failure and group.agent_only_success:
        return NextStep("Either side may be right: compare calls of both kinds.", at_call, "Call")
    if group.agent_only_failure:
        rule = reverse("outcomes:check_for_call", args=[slug])
        words = f"Did the call fail? Add a rule to {check}. Otherwise use {check} in the agent."
        return NextStep(words, with_query(rule, of=group.call_id), "Suggest rule")
    if group.judge.name == DEFAULT.name:
        bind = with_query(reverse("governance:check_bindings", args=[slug]), tool=group.tool)
        return NextStep("Bind a check for this tool, then use it in the agent.", bind, "Bind…")
    words = f"Did the call fail? Use {check} in the agent. Otherwise fix its rule."
    return NextStep(words, at_check, "Open check")


def judge_words(judge: Judge) -> str:
    return judge.name if judge.version is None else f"{judge.name} v{judge.version}"


def _calls(request: MemberRequest, scope: Scope, agent: str) -> str:
    """URL of the list of one agent's disagreements."""
    address = reverse("outcomes:calls", args=[request.project.slug])
    return with_query(address, **scope.query() | {"agent": agent, "show": "disagree"})
