"""The page of a demo project: how its filling stands; asked for, and removed, with one click."""

from hashlib import sha256
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from edictum_site.demo_projects import begin_demo, remove_demo
from edictum_site.tasks import fill_demos
from governance.core.errors import Conflict
from governance.core.roles import Role
from governance.models import Project
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.people import memberships
from governance.people.queries.projects import project_beside
from outcomes.demo.queries.demo import demo_run, is_lost
from outcomes.jobs.doorbell import STALE, Doorbell
from outcomes.models import DemoRun
from outcomes.web.paging import with_query

INCIDENTS: Final = (
    (
        "A tool that fails silently",
        "Its answers say that they failed, and its agent believes them.",
    ),
    ("A denial loop", "One night an agent is told no, and asks the same again and again."),
    ("A wrong limit", "A session is stopped because failed calls were counted."),
)


def _ask() -> None:
    fill_demos.apply_async(expires=STALE)


ring: Final = Doorbell(_ask).ring


@require_POST
@member_page(Action.MANAGE_SETTINGS)
def fill(request: MemberRequest) -> HttpResponse:
    """From any project: the demo is one of its own, and this one stays as it is."""
    try:
        project = begin_demo(request.project, by=request.actor)
    except Conflict:
        # Asked anew: it may be there since a moment ago, when somebody pressed twice.
        theirs = (each.project for each in memberships(request.user))
        known = next((each for each in theirs if each.is_demo), None)
        if known is None:
            messages.error(request, "There is a demo already, and it is not yours to see.")
            return redirect("governance:settings", request.project.slug)
        project = known
    else:
        ring()
    return redirect("first_hour:demo", project.slug)


@require_safe
@member_page()
def demo(request: MemberRequest) -> HttpResponse:
    if not request.project.is_demo:
        return to_start(request)
    context = _standing(request) | {"page_title": "Demo", "incidents": INCIDENTS}
    return render(request, "first_hour/demo.html", context)


@require_safe
@member_page()
def demo_standing(request: MemberRequest) -> HttpResponse:
    if not request.project.is_demo:
        return to_start(request)
    context = _standing(request)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "first_hour/_demo_standing.html", context | {"alone": True})


@require_POST
@member_page(Action.MANAGE_SETTINGS)
def remove(request: MemberRequest) -> HttpResponse:
    if not request.project.is_demo:
        return to_start(request)
    remove_demo(request.project, told_in=_told_in(request), by=request.actor)
    messages.success(request, "The demo is gone, with its calls, contracts and keys.")
    return redirect("governance:first_page")


def _told_in(request: MemberRequest) -> Project:
    """Whose audit log tells of it: a project of the same person, which stays."""
    members = memberships(request.user)
    theirs = [each.project for each in members if each.role == Role.ADMIN]
    real = [each for each in theirs if not each.is_demo]
    return real[0] if real else project_beside(request.project)


def to_start(request: MemberRequest) -> HttpResponse:
    """Where demos are asked for: this project is none."""
    return redirect("first_hour:start", request.project.slug)


def _standing(request: MemberRequest) -> dict[str, Any]:
    project = request.project
    run = demo_run(project.pk)
    lost = run is not None and is_lost(run)
    fills = run is not None and not run.has_ended and not lost
    tag = sha256(repr((run and (run.status, run.passed, run.calls), lost)).encode())
    live = with_query(
        reverse("first_hour:demo_standing", args=[project.slug]), tag=tag.hexdigest()[:16]
    )
    return {
        "run": run,
        "fills": fills,
        "tag": tag.hexdigest()[:16],
        "live_url": live if fills else "",
        "sentence": _sentence(run, lost=lost),
        "may_remove": may(request.role, Action.MANAGE_SETTINGS),
    }


def _sentence(run: DemoRun | None, *, lost: bool) -> str:
    if run is None or lost:
        return "The demo stopped half-way. Remove it, and fill it anew."
    match DemoRun.Status(run.status):
        case DemoRun.Status.QUEUED:
            return "The simulated agents are about to begin."
        case DemoRun.Status.RUNNING:
            return f"Simulated agents live through two weeks: {run.calls:,} calls so far."
        case DemoRun.Status.DONE:
            return f"Two weeks of simulated agents are here: {run.calls:,} calls."
        case DemoRun.Status.FAILED | DemoRun.Status.CANCELLED:
            return "The demo could not be filled to its end. Remove it, and fill it anew."
