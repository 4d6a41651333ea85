"""Who has taken a version that is live: the part of a deployment's page that reads calls."""

from typing import Any, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from governance.core.errors import NotFound
from governance.core.numbers import whole_number
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import one_of_tables
from outcomes.agents.domain.rollout import Taking
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.agents.queries.rollout import Takers, takers
from outcomes.agents.tables import TAKING
from outcomes.web.paging import with_query
from outcomes.web.sentences import number_word
from outcomes.web.tags import hash_of

SHOWN = 100
WORDS = {
    Taking.TAKEN: ("success", "taken", "its newest call ran under it"),
    Taking.SENT: ("clock", "sent", "its next call shows whether it took it"),
    Taking.WAITING: ("warning", "not yet", "it takes it when it next asks or connects"),
    Taking.STOPPED: ("stopped", "stopped", "it takes it when its stop is lifted"),
}


class Line(NamedTuple):
    agent: FleetAgent
    sign: str
    word: str
    why: str


@require_safe
@member_page()
def taking(request: MemberRequest) -> HttpResponseBase:
    """The fragment, or a page of its own for who follows the link to it."""
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
    asked, number = request.GET, whole_number(request.GET.get("version"))
    bundle, environment = asked.get("bundle", ""), asked.get("environment", "")
    if number is None:
        raise NotFound("There is no such version.")
    found = takers(request.project.pk, environment=environment, bundle=bundle, number=number)
    rows = found.rows[:SHOWN]
    tag = _tag(found)
    address = with_query(
        reverse("outcomes:taking", args=[request.project.slug]),
        bundle=bundle,
        environment=environment,
        version=str(number),
    )
    return {
        "page_title": f"Who runs {bundle} v{number}",
        "bundle": bundle,
        "number": int(number),
        "place": environment,
        "rows": [Line(each.agent, *WORDS[each.taking]) for each in rows],
        "takers": found.rows,
        "more": len(found.rows) - len(rows),
        "knows_connections": found.knows_connections,
        "told": taking_words(found),
        "has_waiting": found.number(Taking.WAITING) > 0,
        "tag": tag,
        "live_url": with_query(address, tag=tag),
    }


def taking_words(found: Takers) -> str:
    """12 of 14 have taken it, two were sent it."""
    whole = len(found.rows)
    if not whole:
        return "no agent runs this contract here"
    taken, sent = found.number(Taking.TAKEN), found.number(Taking.SENT)
    if whole == 1:
        if taken:
            return "the one agent has taken it"
        return f"the one agent {'was sent it' if sent else 'has not taken it yet'}"
    words = f"{taken:,} of {whole:,} {'has' if taken == 1 else 'have'} taken it"
    if sent:
        words += f", {number_word(sent)} {'was' if sent == 1 else 'were'} sent it"
    return words


def _tag(found: Takers) -> str:
    seen = [
        (each.agent.place, each.taking, each.agent.runs, bool(each.agent.streams))
        for each in found.rows
    ]
    return hash_of(seen, found.knows_connections)
