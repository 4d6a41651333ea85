"""List of alerts, worst first, and the actions on an alert."""

from collections.abc import Callable, Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from governance.alerts import commands
from governance.alerts.domain import SNOOZES
from governance.alerts.queries import (
    AlertCounts,
    alert_counts,
    finding_numbered,
    resolved_alerts,
    snoozed_alerts,
)
from governance.core.errors import NotFound
from governance.models import Finding, Project
from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.people.policies import Action, may
from outcomes.alerts.domain import headline
from outcomes.alerts.queries import OPEN_SHOWN, is_behind, listed_alerts
from outcomes.alerts.words import rows, title_of
from outcomes.core.scope import detail_parameters, scope_from
from outcomes.jobs.views import backlog_of
from outcomes.web.paging import with_query
from outcomes.web.scope import zone_of

STATES = ("open", "snoozed", "resolved")


@require_safe
@member_page()
def alerts(request: MemberRequest) -> HttpResponse:
    project = request.project
    waiting = backlog_of(request, project.pk)
    state = request.GET.get("state", "")
    state = state if state in STATES else STATES[0]
    environment = request.GET.get("environment", "").replace("\0", "")
    open_alerts = listed_alerts(project, waiting, environment=environment)
    counts = alert_counts(project, environment)
    number = counts.open + is_behind(waiting)
    context = {
        "page_title": "Alerts",
        "sentence": headline(title_of(open_alerts[0]) if open_alerts else "", number),
        "state": state,
        "states": _states(request, counts, number),
        "rows": rows(_in_state(project, state, open_alerts, environment), _carried(request)),
        "elsewhere": navigation_of(request, project).alerts - counts.open,
        "environment": environment,
        "number": {"open": number, "snoozed": counts.snoozed, "resolved": counts.resolved}[state],
        "snoozes": SNOOZES,
        "may_dismiss": may(request.role, Action.DISMISS_FINDING),
    }
    return render(request, "alerts/alerts.html", context)


@require_POST
@member_page(Action.DISMISS_FINDING)
def dismiss_alert(request: MemberRequest, alert_id: int) -> HttpResponse:
    def dismiss(alert: Finding) -> str:
        again = "it ends and starts again" if alert.lasts else "it happens again"
        commands.dismiss(alert, by=request.actor)
        return f"Dismissed. It will reappear if {again}."

    return _changed(request, alert_id, dismiss)


@require_POST
@member_page(Action.DISMISS_FINDING)
def snooze_alert(request: MemberRequest, alert_id: int) -> HttpResponse:
    snooze = request.POST.get("for", "")
    if snooze not in SNOOZES:
        messages.error(request, "Choose how long to snooze the alert.")
        return redirect("outcomes:alerts", request.project.slug)

    def put_off(alert: Finding) -> str:
        commands.snooze(alert, snooze, zone_of(request), by=request.actor)
        return f"Snoozed: {SNOOZES[snooze][0].lower()}{SNOOZES[snooze][1:]}."

    return _changed(request, alert_id, put_off)


@require_POST
@member_page(Action.DISMISS_FINDING)
def reopen_alert(request: MemberRequest, alert_id: int) -> HttpResponse:
    def reopen(alert: Finding) -> str:
        commands.reopen(alert, by=request.actor)
        return "Reopened."

    return _changed(request, alert_id, reopen)


def _changed(
    request: MemberRequest, alert_id: int, change: Callable[[Finding], str]
) -> HttpResponse:
    alert = finding_numbered(request.project, alert_id) if alert_id < 2**63 else None
    if alert is None:
        raise NotFound("Alert not found.")
    messages.success(request, change(alert))
    return redirect("outcomes:alerts", request.project.slug)


def _in_state(
    project: Project, state: str, open_alerts: Sequence[Finding], environment: str
) -> Sequence[Finding]:
    match state:
        case "snoozed":
            return snoozed_alerts(project, OPEN_SHOWN, environment)
        case "resolved":
            return resolved_alerts(project, environment=environment)
        case _:
            return open_alerts


def _carried(request: MemberRequest) -> dict[str, str]:
    """Scope of the previous page, which alerts pass on to sessions without using it."""
    query = request.GET.dict()
    scope = scope_from(query, now=timezone.now(), zone=zone_of(request))
    return detail_parameters(scope if "range" in query or "environment" in query else None, query)


def _states(
    request: MemberRequest, counts: AlertCounts, number: int
) -> list[tuple[str, str, str, int]]:
    """Name, label, URL and number of alerts for each state."""
    here = reverse("outcomes:alerts", args=[request.project.slug])
    query = request.GET.dict() | {"state": ""}
    numbers = {"open": number, "snoozed": counts.snoozed, "resolved": counts.resolved}
    return [
        (
            state,
            state.capitalize(),
            with_query(here, **query | {"state": "" if state == "open" else state}),
            each,
        )
        for state, each in numbers.items()
    ]
