"""Page of a demo project: its progress, and buttons to create and remove it."""

from hashlib import sha256
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from edictum_site.demo_projects import begin_demo, remove_demo
from edictum_site.tasks import FILL_DEMO
from governance.core.errors import Conflict
from governance.core.roles import Role
from governance.models import Project
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.people.queries.people import memberships
from governance.people.queries.projects import project_of_demo
from outcomes.demo.commands import waiting_demos
from outcomes.demo.queries.demo import demo_run, is_lost
from outcomes.jobs.doorbell import ring
from outcomes.models import DemoRun
from outcomes.web.paging import with_query

INCIDENTS: Final = (
    ("A silent failure", "A tool returns errors as normal outputs, and its agent reports success."),
    ("A denial loop", "One night an agent is denied and keeps retrying the same call."),
    ("A limit hit early", "A session hits its limit because failed calls were counted."),
)


@require_POST
@member_page(Action.MANAGE_SETTINGS)
def fill(request: MemberRequest) -> HttpResponse:
    """Create the demo as a separate project; the current project is not changed."""
    try:
        project = begin_demo(request.project, by=request.actor)
    except Conflict:
        # Read again, as a second click may arrive while the first one creates the project.
        theirs = (each.project for each in memberships(request.user))
        known = next((each for each in theirs if each.is_demo), None)
        if known is None:
            messages.error(
                request, "A demo project already exists. Ask one of its admins for an invite."
            )
            return redirect("governance:settings", request.project.slug)
        project = known
    else:
        for number in waiting_demos():
            ring(FILL_DEMO, number)
    return redirect("first_hour:demo", project.slug)


@require_safe
@member_page()
def demo(request: MemberRequest) -> HttpResponse:
    if not request.project.is_demo:
        return to_start(request)
    context = _demo_state(request) | {"page_title": "Demo", "incidents": INCIDENTS}
    return render(request, "first_hour/demo.html", context)


@require_safe
@member_page()
def demo_state(request: MemberRequest) -> HttpResponse:
    if not request.project.is_demo:
        return to_start(request)
    context = _demo_state(request)
    if request.GET.get("tag") == context["tag"]:
        return HttpResponse(status=204)
    return render(request, "first_hour/_demo_standing.html", context | {"alone": True})


@require_POST
@member_page(Action.MANAGE_SETTINGS)
def remove(request: MemberRequest) -> HttpResponse:
    if not request.project.is_demo:
        return to_start(request)
    remove_demo(request.project, logged_in=_logged_in(request), by=request.actor)
    messages.success(request, "Demo removed, with its calls, contracts and keys.")
    return redirect("governance:first_page")


def _logged_in(request: MemberRequest) -> Project:
    """Project whose audit log records the removal: another project of the same admin."""
    members = memberships(request.user)
    theirs = [each.project for each in members if each.role == Role.ADMIN]
    real = [each for each in theirs if not each.is_demo]
    return real[0] if real else project_of_demo(request.project)


def to_start(request: MemberRequest) -> HttpResponse:
    """Redirect to Start, as this project is not a demo."""
    return redirect("first_hour:start", request.project.slug)


def _demo_state(request: MemberRequest) -> dict[str, Any]:
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
        return "Demo generation failed. Remove the demo and try again."
    match DemoRun.Status(run.status):
        case DemoRun.Status.QUEUED:
            return "Starting the simulated agents."
        case DemoRun.Status.RUNNING:
            return f"Generating 2 weeks of traffic: {run.calls:,} calls so far."
        case DemoRun.Status.DONE:
            return f"Demo ready: {run.calls:,} calls over 2 weeks"
        case DemoRun.Status.FAILED | DemoRun.Status.CANCELLED:
            return "Demo generation failed. Remove the demo and try again."
