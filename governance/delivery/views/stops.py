"""Emergency stops: stop an agent or an environment, track the rollout, lift the stop."""

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
from governance.delivery.queries.stops import holders, stop_numbered, stop_of
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
    """Confirmation page with numbers; without an environment, a page to choose one."""
    name, agent = request.GET.get("environment", ""), request.GET.get("agent", "")
    if not name:
        choices = environments(request.project)
        choosing = {"page_title": "Stop an environment", "choices": choices}
        return render(request, "delivery/choose_stop.html", choosing)
    environment = environment_with(request.project, name)
    if environment is None or len(agent) > 128 or "\0" in agent:
        raise NotFound("Environment or agent not found.")
    if request.method == "POST":
        stop, is_new = stops.stop(request.project, env=name, agent=agent, by=request.actor)
        if not is_new:
            messages.info(request, f"{_named(stop)} was already stopped.")
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
    row = _stop(request, stop_id)
    context = _taking(request, row) | {
        "page_title": f"Stop of {_named(row, begins=False)}",
        "may_stop": may(request.actor, Action.STOP_AGENT, row.environment.name),
    }
    tables: Tables = {"agents": (TAKING_OF_STOP, context["connected"] or ())}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "delivery/stop.html", context)


@require_safe
@member_page()
def stop_taking(request: MemberRequest, stop_id: int) -> HttpResponse:
    """Agents and whether they acknowledged the stop; 204 if nothing has changed."""
    context = _taking(request, _stop(request, stop_id))
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "delivery/_stop_taking.html", context | {"alone": True})


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.STOP_AGENT)
def lift_stop(request: MemberRequest, stop_id: int) -> HttpResponse:
    row = _stop(request, stop_id)
    if request.method == "POST":
        lift(row, by=request.actor)
        messages.success(request, f"{_named(row)}: stop lifted.")
        return redirect("governance:stop", request.project.slug, row.pk)
    context = {
        "page_title": f"Lift the stop of {_named(row)}",
        "stop": row,
        "named": _named(row),
        "still_stopped": bool(row.agent) and stop_of(row.environment) is not None,
        "connected": holders(request.project.pk, row.environment.name, row.agent),
    }
    return render(request, "delivery/lift_stop.html", context)


def _taking(request: MemberRequest, stop: Stop) -> dict[str, Any]:
    connected = holders(request.project.pk, stop.environment.name, stop.agent)
    acknowledged = sum(each.has_acknowledged for each in connected or ())
    return {
        "stop": stop,
        "named": _named(stop),
        "by": shown(stop.author),
        "lifted_by": shown(stop.lifted_by),
        "connected": connected,
        "taken": acknowledged,
        "waiting": len(connected or ()) - acknowledged,
        "rows": sorted(connected or (), key=lambda each: each.has_acknowledged)[:SHOWN],
        "tag": sha256(repr((stop.lifted_at, connected)).encode()).hexdigest()[:16],
    }


def _stop(request: MemberRequest, stop_id: int) -> Stop:
    row = stop_numbered(request.project, stop_id) if stop_id < 2**63 else None
    if row is None:
        raise NotFound("Stop not found.")
    return row


def _named(stop: Stop, *, begins: bool = True) -> str:
    """Name of what is stopped; `begins` is whether it starts a sentence."""
    who = stop.agent or ("All agents" if begins else "all agents")
    return f"{who} in {stop.environment.name}"
