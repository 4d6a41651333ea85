"""Rollout of a deployed version: the part of a deployment's page that reads calls."""

from typing import Any, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.core.figures import counted
from governance.core.numbers import parse_number
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import one_of_tables
from outcomes.agents.domain.rollout import Taking
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.agents.queries.rollout import Takers, takers
from outcomes.agents.tables import TAKING
from outcomes.web.paging import hash_of, with_query

SHOWN = 100
WORDS = {
    Taking.RUNNING: ("success", "up to date", "its newest call ran under it"),
    Taking.SENT: ("clock", "sent", "its next call will confirm it"),
    Taking.WAITING: (
        "warning",
        "outdated",
        "updates when it next fetches its contract",
    ),
    Taking.STOPPED: ("stopped", "stopped", "updates when its stop is lifted"),
}


class Line(NamedTuple):
    agent: FleetAgent
    sign: str
    word: str
    why: str


@require_safe
@member_page()
def taking(request: MemberRequest) -> HttpResponseBase:
    """Rollout of a version, as a page fragment or a separate page."""
    context = _taking(request)
    file = one_of_tables(request, request.project, {"agents": (TAKING, context["takers"])})
    if file is not None:
        return file
    if not request.headers.get("HX-Request"):
        return render(request, "agents/taking.html", context)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "agents/_taking.html", context)


def _taking(request: MemberRequest) -> dict[str, Any]:
    query, number = request.GET, parse_number(request.GET.get("version"))
    bundle, environment = query.get("bundle", ""), query.get("environment", "")
    if number is None:
        raise NotFound("No such version.")
    rollout = takers(request.project.pk, environment=environment, bundle=bundle, number=number)
    rows = rollout.rows[:SHOWN]
    tag = _tag(rollout)
    address = with_query(
        reverse("outcomes:taking", args=[request.project.slug]),
        bundle=bundle,
        environment=environment,
        version=str(number),
    )
    return {
        "page_title": f"Rollout of {bundle} v{number}",
        "bundle": bundle,
        "number": int(number),
        "place": environment,
        "rows": [Line(each.agent, *WORDS[each.taking]) for each in rows],
        "takers": rollout.rows,
        "more": len(rollout.rows) - len(rows),
        "knows_connections": rollout.knows_connections,
        "told": taking_words(rollout),
        "has_waiting": rollout.number(Taking.WAITING) > 0,
        "tag": tag,
        "live_url": with_query(address, tag=tag),
    }


def taking_words(rollout: Takers) -> str:
    """Rollout in words, such as: 12 of 14 agents up to date, 2 sent"""
    if not rollout.rows:
        return "no agents use this contract here"
    running, sent = rollout.number(Taking.RUNNING), rollout.number(Taking.SENT)
    words = f"{running:,} of {counted(len(rollout.rows), 'agent')} up to date"
    return f"{words}, {sent:,} sent" if sent else words


def _tag(rollout: Takers) -> str:
    seen = [
        (each.agent.place, each.taking, each.agent.runs, bool(each.agent.streams))
        for each in rollout.rows
    ]
    return hash_of(seen, rollout.knows_connections)
