"""Periodic check that opens, refreshes and resolves the alerts about a project's calls."""

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from typing import Final, TypeVar

from django.urls import reverse
from django.utils import timezone

from governance.findings import Details, FindingKey, sync_findings
from governance.models import Project
from governance.people.queries.projects import projects_with_agents
from outcomes.alerts import domain, queries
from outcomes.alerts.domain import Early, Text
from outcomes.core.scope import Scope
from outcomes.denials.domain import Loop
from outcomes.figures.comparison import newest_event
from outcomes.figures.domain.standouts import Fall
from outcomes.web.addresses import session_url
from outcomes.web.paging import with_query

LOOP_ROW: Final = "#loop"
AT_LEAST_EVERY: Final = 60.0  # seconds: the window moves even if nothing arrives
COST: Final = 10  # after a check, wait this many times its duration

Alerts = dict[FindingKey, Details]
Item = TypeVar("Item")
_checked: dict[int, tuple[object, float, float]] = {}  # by project: state, checked at, next at


def evaluate_alerts() -> None:
    """Check each project with something new since its last check."""
    for project in projects_with_agents():
        state, now = _state(project.pk), time.monotonic()
        before, checked_at, next_at = _checked.get(project.pk, (None, 0.0, 0.0))
        is_new = state != before or now >= checked_at + AT_LEAST_EVERY
        if is_new and now >= next_at:
            evaluate_project(project)
            done = time.monotonic()
            _checked[project.pk] = (state, now, done + COST * (done - now))


def evaluate_project(project: Project, now: datetime | None = None) -> None:
    now = now or timezone.now()
    scope = queries.window(now)
    alerts = (
        _stuck(project, scope, now)
        | _early(project, scope)
        | _fallen(project, scope)
        | _suspected(project, scope)
        | _failed_batches(project)
    )
    sync_findings(project.pk, domain.KINDS, alerts)


def _state(project_id: int) -> object:
    return (
        newest_event(project_id),
        queries.failed_batches(project_id),
        queries.suggestions_state(project_id),
    )


def _stuck(project: Project, scope: Scope, now: datetime) -> Alerts:
    loops = queries.loops_in(project.pk, scope, now)
    single, groups = _grouped(loops, _cause_of_loop)
    alerts = {
        (domain.STUCK, f"{each.loop.session_id} in {each.loop.environment}"): _details(
            domain.stuck_text(each, now), _loop_link(project, each.loop), each.loop
        )
        for each in queries.stuck(project.pk, single)
    }
    for group in groups:
        group.sort(key=lambda each: -each.times)
        first = group[0]
        link = _list_link(project, "outcomes:denials", first.environment, agent=first.agent)
        place = (domain.STUCK, f"{first.rule or first.tool} for {first.agent} and others")
        alerts[place] = _details(domain.stuck_group_text(group), link, first)
    return alerts


def _cause_of_loop(loop: Loop) -> Hashable:
    return loop.agent, loop.environment, loop.tool, loop.rule


def _early(project: Project, scope: Scope) -> Alerts:
    single, groups = _grouped(queries.early_sessions(project.pk, scope), _cause_of_stop)
    alerts: Alerts = {}
    for each in single:
        text = domain.early_text(each, queries.top_error(project.pk, each))
        link = session_url(project.slug, each.session_id, each.environment)
        place = (domain.EARLY, f"{each.session_id} in {each.environment}")
        alerts[place] = _details(text, link, each)
    for group in groups:
        first = group[0]
        link = _list_link(
            project, "outcomes:sessions", first.environment, agent=first.agent, state="stopped"
        )
        place = (domain.EARLY, f"{first.limit} for {first.agent} in {first.environment}")
        alerts[place] = _details(domain.early_group_text(group), link, first)
    return alerts


def _cause_of_stop(early: Early) -> Hashable:
    return early.agent, early.environment, early.limit


def _fallen(project: Project, scope: Scope) -> Alerts:
    return {
        (domain.FELL, fall.tool): _fall_details(project, scope, fall)
        for fall in queries.fallen_tools(project.pk, scope)
    }


def _fall_details(project: Project, scope: Scope, fall: Fall) -> Details:
    link = _list_link(project, "outcomes:calls", tool=fall.tool, show="failures")
    return _details(domain.fallen_text(queries.fallen(project.pk, scope, fall)), link)


def _suspected(project: Project, scope: Scope) -> Alerts:
    return {
        (domain.SILENT, each.tool): _details(
            domain.suspected_text(each),
            reverse(
                "outcomes:suggestion",
                args=[project.slug, suggestion.tool_id, suggestion.check_name, suggestion.rule],
            ),
            since=suggestion.first_at,
        )
        for suggestion, each in queries.suspected(project.pk, scope)
    }


def _failed_batches(project: Project) -> Alerts:
    batches, events, error = queries.failed_batches(project.pk)
    if not batches:
        return {}
    text = domain.failed_batches_text(batches, events, error)
    link = reverse("outcomes:set_aside", args=[project.slug])
    return {(domain.FAILED_BATCHES, ""): _details(text, link)}


def _grouped(
    items: Iterable[Item], cause: Callable[[Item], Hashable]
) -> tuple[list[Item], list[list[Item]]]:
    """Sessions that get an alert each, and groups of sessions that share one alert."""
    groups: dict[Hashable, list[Item]] = defaultdict(list)
    for each in items:
        groups[cause(each)].append(each)
    few = [group for group in groups.values() if len(group) <= domain.SINGLE]
    many = [group for group in groups.values() if len(group) > domain.SINGLE]
    return [each for group in few for each in group], many


def _details(
    text: Text, link: str, session: Loop | Early | None = None, *, since: datetime | None = None
) -> Details:
    return Details(
        title=text.title,
        why=text.why,
        severity=text.severity,
        impact=text.impact,
        link=link,
        environment=session.environment if session else "",
        agent=session.agent if session else "",
        since=session.last_at if session else since,
    )


def _loop_link(project: Project, loop: Loop) -> str:
    """Link to the loop's folded row on the session page."""
    return session_url(project.slug, loop.session_id, loop.environment) + LOOP_ROW


def _list_link(project: Project, page: str, environment: str = "", **filters: str) -> str:
    query = {"range": "24h", "environment": environment, **filters}
    return with_query(
        reverse(page, args=[project.slug]), **{name: each for name, each in query.items() if each}
    )
