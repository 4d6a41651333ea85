"""The agents of a project and the page of one, and their parts that keep themselves up to date."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.core.numbers import whole_number
from governance.people.auth import MemberRequest, console_address, member_page
from governance.people.policies import Action, may
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
    StandingWords,
    agent_sentence,
    assigned_words,
    fleet_sentence,
    standing_words,
)
from outcomes.core.scope import Scope
from outcomes.ingest.queries.reports import ReadReport, is_agent, reports_of
from outcomes.models import AgentReport
from outcomes.web.addresses import ELSEWHERE, opening_url
from outcomes.web.paging import files_of, with_query
from outcomes.web.scope import scope_of
from outcomes.web.tags import hash_of

STATES = {"": "All", "connected": "Connected", "drifting": "Drifting", "stopped": "Stopped"}
SHOWN = 100
OFTEN, SELDOM = 2, 5  # seconds until a page asks again; a large fleet takes longer to read


@dataclass(frozen=True, slots=True)
class AgentLine:
    agent: FleetAgent
    family: str
    standing: StandingWords
    assigned: str
    acted: Acted
    urls: dict[str, str]


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
        "may_stop": may(request.role, Action.STOP_AGENT),
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
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "agents/agent.html", context)


@require_safe
@member_page()
def agent_standing(request: MemberRequest) -> HttpResponse:
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
    return scope_of(request, of_agent=False)


def _fitting(request: MemberRequest, scope: Scope, whole: Fleet) -> list[FleetAgent]:
    environment, text = scope.environment, request.GET.get("q", "").strip()
    return [
        each
        for each in whole.agents
        if environment in ("", each.environment) and text.lower() in each.name.lower()
    ]


def _list(request: MemberRequest, whole: Fleet) -> dict[str, Any]:
    scope = _scope(request)
    environment, text = scope.environment, request.GET.get("q", "").strip()
    state = request.GET.get("state", "")
    state = state if state in STATES else ""
    fitting = _fitting(request, scope, whole)
    by_state = {name: [each for each in fitting if _is_in(each, name)] for name in STATES}
    chosen = by_state[state]
    first = _first(request, len(chosen))
    rows = _lines(request, scope, chosen[first : first + SHOWN])
    tag = hash_of(rows, [(name, len(found)) for name, found in by_state.items()], whole.stops)
    slug = request.project.slug
    address = with_query(reverse("outcomes:agents", args=[slug]), q=text, **scope.query())
    here = with_query(address, state=state)
    return {
        "rows": rows,
        "stops": [
            each for each in whole.stops if not each.agent and environment in ("", each.environment)
        ],
        "knows_connections": whole.knows_connections,
        "tag": tag,
        "again": SELDOM if len(whole.agents) > LARGE else OFTEN,
        "text": text,
        "state": state,
        "place": environment,
        "sentence": fleet_sentence(
            fitting, environment=environment, text=text, knows=whole.knows_connections
        ),
        "states": [
            (name, word, len(by_state[name]), with_query(address, state=name))
            for name, word in STATES.items()
        ],
        "shown": f"{len(rows):,} of {len(chosen):,}, by name",
        "files": files_of(here),
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
    whole = fleet(request.project.pk, name=name)
    if not whole.agents and not is_agent(request.project.pk, name):
        raise NotFound("There is no such agent.")
    rows = _lines(request, scope, whole.agents)
    tag = hash_of(rows, whole.stops)
    return {
        "name": name,
        "rows": rows,
        "sentence": agent_sentence(name, whole.agents),
        "knows_connections": whole.knows_connections,
        "may_stop": may(request.role, Action.STOP_AGENT),
        "tag": tag,
        "live_url": with_query(
            reverse("outcomes:agent_standing", args=[request.project.slug]),
            of=name,
            tag=tag,
            **scope.query(),
        ),
    }


def _lines(request: MemberRequest, scope: Scope, agents: list[FleetAgent]) -> list[AgentLine]:
    families = families_of(agents)
    acted = acted_in(request.project.pk, agents, scope)
    return [
        AgentLine(
            each,
            families.get(each.place, ""),
            standing_words(each),
            assigned_words(each),
            acted.get(each.place, Acted()),
            _urls(request, scope, each),
        )
        for each in agents
    ]


def _urls(request: MemberRequest, scope: Scope, agent: FleetAgent) -> dict[str, str]:
    """To what is counted of it."""
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
    """The place of the first row; one that no page begins with is taken to the page that has it."""
    place = whole_number(request.GET.get("start")) or 0
    return place // SHOWN * SHOWN if place < of else 0


def _start(place: int) -> dict[str, str]:
    return {"start": str(place)} if place > 0 else {}


def _is(report: ReadReport, kind: AgentReport.Kind) -> bool:
    return report.row.kind == kind
