"""Views of the list of agents and of one agent, with their live parts."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest, console_address, member_page
from governance.people.policies import Action, may_somewhere
from governance.web.exports import offer_part
from governance.web.table_files import Tables, one_of_tables, table_file
from outcomes.agents.queries.agents import agent_names
from outcomes.agents.queries.fleet import (
    LARGE,
    Acted,
    Fleet,
    FleetAgent,
    acted_in,
    families_of,
    fleet,
    fleet_of_late,
)
from outcomes.agents.queries.skill_scans import read_manifest, read_scan
from outcomes.agents.tables import AGENTS, RULES_OF_MANIFEST, SKILLS
from outcomes.agents.views.activity import activity_url
from outcomes.agents.words import (
    StateWords,
    agent_second_sentence,
    agent_sentence,
    assigned_words,
    fleet_sentence,
    state_words,
)
from outcomes.core.scope import Scope
from outcomes.figures.comparison import summed_figures
from outcomes.figures.queries.doubt import Doubt, doubt_in
from outcomes.ingest.queries.reports import ReadReport, is_agent, reports_of
from outcomes.models import AgentReport
from outcomes.sessions.queries.stopped import stopped_counts
from outcomes.web.addresses import ELSEWHERE, opening_url
from outcomes.web.paging import hash_of, with_query
from outcomes.web.scope import scope_of

STATES = {"": "All", "connected": "Connected", "drifting": "Outdated", "stopped": "Stopped"}
SHOWN = 100
OFTEN, SELDOM = 2, 5  # seconds between polls; a large fleet takes longer to read


@dataclass(frozen=True, slots=True)
class AgentLine:
    agent: FleetAgent
    family: str
    state: StateWords
    assigned: str
    acted: Acted
    urls: dict[str, str]
    suspected: int


@require_safe
@member_page()
def agent_options(request: MemberRequest) -> HttpResponse:
    names = agent_names(request.project.pk)
    return render(request, "agents/_tool_options.html", {"names": names})


@require_safe
@member_page()
def agents(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    context = _list(request, fleet(request.project.pk)) | {
        "page_title": "Agents",
        "may_stop": may_somewhere(request.actor, Action.STOP_AGENT),
        "address": console_address(request),
    }
    return render(request, "agents/agents.html", context)


@require_safe
@member_page()
def agent_rows(request: MemberRequest) -> HttpResponse:
    context = _list(request, fleet_of_late(request.project.pk))
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "agents/_agent_rows.html", context | {"alone": True})


@require_safe
@member_page()
def agent(request: MemberRequest, name: str) -> HttpResponseBase:
    name = request.GET.get("id", name) if name == ELSEWHERE else name
    scope = _scope(request)
    context = _one(request, name, scope)
    reports = reports_of(request.project.pk, name)
    scans = [read_scan(each) for each in reports if _is(each, AgentReport.Kind.SKILL_SCAN)]
    manifests = [read_manifest(each) for each in reports if _is(each, AgentReport.Kind.MANIFEST)]
    context |= {
        "page_title": name,
        "activity_url": activity_url(request.project.slug, name, scope),
        "sessions_url": with_query(
            reverse("outcomes:sessions", args=[request.project.slug]),
            **scope.query() | {"agent": name},
        ),
        "opens": opening_url(request),
        "scans": scans,
        "manifests": manifests,
    }
    tables: Tables = {
        "rules": (RULES_OF_MANIFEST, [rule for each in manifests[:1] for rule in each.rules]),
        "skills": (SKILLS, [skill for each in scans[:1] for skill in each.skills]),
    }
    offer_part(request, "tools", "outcomes:agent_activity", table="tools", of=name, **scope.query())
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "agents/agent.html", context)


@require_safe
@member_page()
def live_agent(request: MemberRequest) -> HttpResponse:
    context = _one(request, request.GET.get("of", ""), _scope(request))
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "agents/_agent_standing.html", context | {"alone": True})


def _file(request: MemberRequest) -> HttpResponseBase | None:
    state, scope = request.GET.get("state", ""), _scope(request)

    def rows() -> list[tuple[FleetAgent, Acted]]:
        fitting = _fitting(request, scope, fleet(request.project.pk))
        chosen = [each for each in fitting if _is_in(each, state if state in STATES else "")]
        acted = acted_in(request.project.pk, chosen, scope)
        return [(each, acted.get(each.place, Acted())) for each in chosen]

    return table_file(request, request.project, "agents", AGENTS, rows)


def _scope(request: MemberRequest) -> Scope:
    return scope_of(request, by_agent=False)


def _fitting(request: MemberRequest, scope: Scope, all_agents: Fleet) -> list[FleetAgent]:
    environment, text = scope.environment, request.GET.get("q", "").strip()
    return [
        each
        for each in all_agents.agents
        if environment in ("", each.environment) and text.lower() in each.name.lower()
    ]


def _list(request: MemberRequest, all_agents: Fleet) -> dict[str, Any]:
    scope = _scope(request)
    environment, text = scope.environment, request.GET.get("q", "").strip()
    state = request.GET.get("state", "")
    state = state if state in STATES else ""
    fitting = _fitting(request, scope, all_agents)
    by_state = {name: [each for each in fitting if _is_in(each, name)] for name in STATES}
    chosen = by_state[state]
    first = _first(request, len(chosen))
    doubt = doubt_in(request.project.pk, scope)
    rows = _lines(request, scope, chosen[first : first + SHOWN], doubt)
    tag = hash_of(
        rows,
        len(doubt),
        [(name, len(matching)) for name, matching in by_state.items()],
        all_agents.stops,
    )
    slug = request.project.slug
    address = with_query(reverse("outcomes:agents", args=[slug]), q=text, **scope.query())
    here = with_query(address, state=state)
    return {
        "rows": rows,
        "stops": [
            each
            for each in all_agents.stops
            if not each.agent and environment in ("", each.environment)
        ],
        "knows_connections": all_agents.knows_connections,
        "tag": tag,
        "again": SELDOM if len(all_agents.agents) > LARGE else OFTEN,
        "text": text,
        "state": state,
        "place": environment,
        "sentence": fleet_sentence(
            fitting, doubt, environment=environment, text=text, knows=all_agents.knows_connections
        ),
        "states": [
            (name, word, len(by_state[name]), with_query(address, state=name))
            for name, word in STATES.items()
        ],
        "shown": f"{len(rows):,} of {len(chosen):,}, by name",
        "previous": with_query(here, **_start(first - SHOWN)) if first else "",
        "next": with_query(here, **_start(first + SHOWN)) if first + SHOWN < len(chosen) else "",
        "live_url": with_query(
            reverse("outcomes:agent_rows", args=[slug]),
            q=text,
            state=state,
            tag=tag,
            **scope.query(),
            **_start(first),
        ),
    }


def _one(request: MemberRequest, name: str, scope: Scope) -> dict[str, Any]:
    all_agents = fleet(request.project.pk, name=name)
    if not all_agents.agents and not is_agent(request.project.pk, name):
        raise NotFound("No such agent.")
    of_agent = replace(scope, agent=name)
    doubt = doubt_in(request.project.pk, of_agent)
    rows = _lines(request, scope, all_agents.agents, doubt)
    now = summed_figures(line.acted.now for line in rows)
    before = summed_figures(line.acted.before for line in rows)
    early = stopped_counts(request.project.pk, of_agent).premature
    sentence = agent_sentence(name, all_agents.agents, now, before, doubt, scope, early)
    tag = hash_of(rows, all_agents.stops)
    return {
        "name": name,
        "rows": rows,
        "sentence": sentence,
        "second": agent_second_sentence(sentence, all_agents.agents, now, doubt),
        "knows_connections": all_agents.knows_connections,
        "may_stop": may_somewhere(request.actor, Action.STOP_AGENT),
        "tag": tag,
        "live_url": with_query(
            reverse("outcomes:agent_standing", args=[request.project.slug]),
            of=name,
            tag=tag,
            **scope.query(),
        ),
    }


def _lines(
    request: MemberRequest, scope: Scope, agents: list[FleetAgent], doubt: Doubt
) -> list[AgentLine]:
    families = families_of(agents)
    acted = acted_in(request.project.pk, agents, scope)
    return [
        AgentLine(
            each,
            families.get(each.place, ""),
            state_words(each),
            assigned_words(each),
            acted.get(each.place, Acted()),
            _urls(request, scope, each),
            doubt.by_place[each.place],
        )
        for each in agents
    ]


def _urls(request: MemberRequest, scope: Scope, agent: FleetAgent) -> dict[str, str]:
    """URLs of the agent's calls and denials."""
    chosen = scope.query() | {"agent": agent.name, "environment": agent.environment}
    return {
        name: with_query(reverse(f"outcomes:{name}", args=[request.project.slug]), **chosen)
        for name in ("calls", "denials")
    }


def _is_in(agent: FleetAgent, state: str) -> bool:
    match state:
        case "connected":
            return agent.streams > 0
        case "drifting":
            return agent.drifts
        case "stopped":
            return agent.is_stopped
        case _:
            return True


def _first(request: MemberRequest, of: int) -> int:
    """Index of the first row shown, rounded down to the start of its page."""
    place = parse_number(request.GET.get("start")) or 0
    return place // SHOWN * SHOWN if place < of else 0


def _start(place: int) -> dict[str, str]:
    return {"start": str(place)} if place > 0 else {}


def _is(report: ReadReport, kind: AgentReport.Kind) -> bool:
    return report.row.kind == kind
