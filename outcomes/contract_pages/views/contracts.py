"""Agents and calls on the contract pages. Each part has its own URL."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.contracts.queries.bundles import listed_bundles
from governance.contracts.queries.contracts import existing_bundle, live_deployments
from governance.core.figures import counted
from governance.core.tables import Columns
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import one_of_tables
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.agents.words import StateWords, state_words
from outcomes.backtesting.queries import number_of_backtests
from outcomes.contract_pages.queries.contracts import (
    Denied,
    Running,
    denied_in,
    running,
    running_each,
    runs_version,
)
from outcomes.contract_pages.queries.observed import number_observed
from outcomes.contract_pages.tables import RUNNING
from outcomes.core.moments import after_the_minute, time_text, to_the_minute
from outcomes.web.paging import shown_part, with_query

SHOWN = 8
LISTED = 100
A_DAY = timedelta(hours=24)


class AgentRow(NamedTuple):
    agent: FleetAgent
    state: StateWords


class ContractRow(NamedTuple):
    id: int
    name: str
    agents: int
    denied: Denied
    denied_url: str


COUNTED: Columns[ContractRow] = {
    "contract": lambda row: row.name,
    "agents": lambda row: row.agents,
    "denied": lambda row: row.denied.now,
    "denied_before": lambda row: row.denied.before,
}


class Rollout(NamedTuple):
    """Agents of one environment that have the deployed version."""

    environment_id: int
    words: str


@require_safe
@member_page()
def contract_agents(request: MemberRequest) -> HttpResponseBase:
    """Number of agents that run each contract of the list, and of calls it denied; each number is
    swapped into its row of the list."""
    listed = listed_bundles(request.project, "", LISTED)
    each = running_each(request.project.pk, [bundle.name for bundle in listed])
    since, until = _last_day()
    ids = [bundle.newest.bundle_id for bundle in listed]
    denied = denied_in(request.project.pk, ids, since - A_DAY, since, until)
    rows = [
        ContractRow(
            bundle.newest.bundle_id,
            bundle.name,
            len(each[bundle.name].agents),
            denied.get(bundle.newest.bundle_id, Denied()),
            _denied_url(request, bundle.name, since),
        )
        for bundle in listed
    ]
    context = {"page_title": "Agents by contract", "rows": rows}
    file = one_of_tables(request, request.project, {"contracts": (COUNTED, rows)})
    return file or shown_part(
        request,
        "contract_pages/_contract_agents.html",
        "contract_pages/contract_part.html",
        context,
    )


@require_safe
@member_page()
def contract_figures(request: MemberRequest) -> HttpResponseBase:
    """Agents that run the contract, its rollout, and the calls it denied."""
    bundle = existing_bundle(request.project, request.GET.get("of", ""))
    agents_running = running(request.project.pk, bundle.name)
    live = live_deployments(request.project, [bundle.pk])
    since, until = _last_day()
    counted = denied_in(request.project.pk, [bundle.pk], since - A_DAY, since, until)
    denied = counted.get(bundle.pk, Denied())
    rollouts = [
        Rollout(
            each.environment_id,
            _rollout_words(agents_running, bundle.name, each.environment.name, each.version.number),
        )
        for each in live
    ]
    context: dict[str, Any] = {
        "page_title": f"Agents of {bundle.name}",
        "bundle": bundle,
        "rows": [AgentRow(each, state_words(each)) for each in agents_running.agents[:SHOWN]],
        "more": max(0, len(agents_running.agents) - SHOWN),
        "told": agents_sentence(agents_running),
        "knows_connections": agents_running.knows_connections,
        "taken": rollouts,
        "sentence": rollout_sentence(
            agents_running,
            bundle.name,
            {each.environment.name: each.version.number for each in live},
        ),
        "denied": denied.now,
        "denied_before": denied.before,
        "denied_url": _denied_url(request, bundle.name, since),
    }
    file = one_of_tables(request, request.project, {"agents": (RUNNING, agents_running.agents)})
    return file or shown_part(
        request,
        "contract_pages/_contract_figures.html",
        "contract_pages/contract_part.html",
        context,
    )


@require_safe
@member_page()
def contract_counts(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Counts on a contract's tabs; requests without HTMX are redirected to the contract."""
    bundle = existing_bundle(request.project, bundle_name)
    if request.headers.get("HX-Request") != "true":
        return redirect("governance:contract", request.project.slug, bundle.name)
    live = live_deployments(request.project, [bundle.pk])
    context = {
        "backtests": number_of_backtests(request.project.pk, bundle.name),
        "would_deny": number_observed((each.version_id, each.environment_id) for each in live),
    }
    return render(request, "contract_pages/_contract_counts.html", context)


def _last_day() -> tuple[datetime, datetime]:
    """Last 24 hours, rounded like the linked lists, without calls dated in the future."""
    now = timezone.now()
    return to_the_minute(now - A_DAY), after_the_minute(now)


def _denied_url(request: MemberRequest, bundle: str, since: datetime) -> str:
    address = reverse("outcomes:calls", args=[request.project.slug])
    return with_query(address, contract=bundle, show="denied", **{"from": time_text(since)})


def agents_sentence(agents_running: Running) -> str:
    """Phrase such as `12 of 14 agents up to date`."""
    agents = len(agents_running.agents)
    if not agents:
        return "no agents"
    current = sum(not state_words(each).is_trouble for each in agents_running.agents)
    if current == agents:
        return f"{counted(agents, 'agent')}, {'all ' if agents > 1 else ''}up to date"
    return f"{current:,} of {counted(agents, 'agent')} up to date"


def rollout_sentence(agents_running: Running, bundle: str, live: Mapping[str, int]) -> str:
    """Phrase such as `12 of 14 agents up to date, 2 on v11`."""
    agents = [each for each in agents_running.agents if each.environment in live]
    if not agents:
        return ""
    late = [each for each in agents if not runs_version(each, bundle, live[each.environment])]
    sentence = f"{len(agents) - len(late):,} of {counted(len(agents), 'agent')} up to date"
    runs = {each.newest.number for each in late if each.newest.bundle == bundle}
    if len(runs) == 1:
        return f"{sentence}, {len(late):,} on v{runs.pop()}"
    return sentence


def _rollout_words(agents_running: Running, bundle: str, environment: str, number: int) -> str:
    agents = agents_running.in_environment(environment)
    updated = sum(runs_version(each, bundle, number) for each in agents)
    if not agents:
        return "no agents"
    return f"{updated:,} of {len(agents):,} agent{'s' if len(agents) > 1 else ''}"
