"""Stopping an agent or an environment, how far that has come, and lifting it."""

from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.core.actor import shown
from governance.core.errors import NotFound
from governance.delivery.commands import stops
from governance.delivery.commands.stops import lift
from governance.delivery.queries.stop_rollout import holders
from governance.delivery.queries.stops import stop_numbered, stop_of
from governance.delivery.tables import TAKING_OF_STOP
from governance.models import Stop
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.projects import environment_with, environments
from governance.web.table_files import Tables, one_of_tables

SHOWN = 200


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.STOP_AGENT)
def new_stop(request: MemberRequest) -> HttpResponse:
    """Asks once more, with numbers; without an environment, which one."""
    name, agent = request.GET.get("environment", ""), request.GET.get("agent", "")
    if not name:
        choices = environments(request.project)
        choosing = {"page_title": "Stop an environment", "choices": choices}
        return render(request, "delivery/choose_stop.html", choosing)
    environment = environment_with(request.project, name)
    if environment is None or len(agent) > 128 or "\0" in agent:
        raise NotFound("There is no such environment, or no such agent.")
    if request.method == "POST":
        stop, is_new = stops.stop(request.project, env=name, agent=agent, by=request.actor)
        if not is_new:
            messages.info(request, f"{_named(stop)} was stopped already.")
        return redirect("governance:stop", request.project.slug, stop.pk)
    present = stop_of(environment, agent)
    if present is not None:
        return redirect("governance:stop", request.project.slug, present.pk)
    context = {
        "page_title": f"Stop {agent or name}",
        "agent": agent,
        "place": name,
        "connected": holders(request.project.pk, name, agent),
    }
    return render(request, "delivery/new_stop.html", context)


@require_safe
@member_page()
def stop(request: MemberRequest, stop_id: int) -> HttpResponseBase:
    found = _stop(request, stop_id)
    context = _taking(request, found) | {
        "page_title": f"Stop of {_named(found, begins=False)}",
        "may_stop": may(request.role, Action.STOP_AGENT),
    }
    tables: Tables = {"agents": (TAKING_OF_STOP, context["connected"] or ())}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "delivery/stop.html", context)


@require_safe
@member_page()
def stop_taking(request: MemberRequest, stop_id: int) -> HttpResponse:
    """The part that tells who has taken it; nothing when it is as it was."""
    context = _taking(request, _stop(request, stop_id))
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "delivery/_stop_taking.html", context | {"alone": True})


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.STOP_AGENT)
def lift_stop(request: MemberRequest, stop_id: int) -> HttpResponse:
    found = _stop(request, stop_id)
    if request.method == "POST":
        lift(found, by=request.actor)
        messages.success(request, f"{_named(found)} may call its tools again.")
        return redirect("governance:stop", request.project.slug, found.pk)
    context = {
        "page_title": f"Lift the stop of {_named(found)}",
        "stop": found,
        "named": _named(found),
        "still_stopped": bool(found.agent) and stop_of(found.environment) is not None,
        "connected": holders(request.project.pk, found.environment.name, found.agent),
    }
    return render(request, "delivery/lift_stop.html", context)


def _taking(request: MemberRequest, stop: Stop) -> dict[str, Any]:
    connected = holders(request.project.pk, stop.environment.name, stop.agent)
    taken = sum(each.has_taken for each in connected or ())
    return {
        "stop": stop,
        "named": _named(stop),
        "by": shown(stop.author),
        "lifted_by": shown(stop.lifted_by),
        "connected": connected,
        "taken": taken,
        "waiting": len(connected or ()) - taken,
        "rows": sorted(connected or (), key=lambda each: each.has_taken)[:SHOWN],
        "tag": sha256(repr((stop.lifted_at, connected)).encode()).hexdigest()[:16],
    }


def _stop(request: MemberRequest, stop_id: int) -> Stop:
    found = stop_numbered(request.project, stop_id) if stop_id < 2**63 else None
    if found is None:
        raise NotFound("There is no such stop.")
    return found


def _named(stop: Stop, *, begins: bool = True) -> str:
    """`begins` a sentence."""
    who = stop.agent or ("Every agent" if begins else "every agent")
    return f"{who} in {stop.environment.name}"
