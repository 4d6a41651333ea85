"""Retention of records about absent agents and of resolved findings."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE
from governance.delivery import news
from governance.models import AnnouncedAssignment, Environment, Fetches, Finding, Project

AT_ONCE = 500
FETCHES_LAST = timedelta(days=7)
FINDINGS_LAST = timedelta(days=90)  # after they were resolved
ANNOUNCEMENTS_LAST = timedelta(days=90)  # since their agent was last connected
RENEWED_AFTER = ANNOUNCEMENTS_LAST / 2


def remove_old_notes() -> int:
    """Delete old records of absent agents and old resolved findings; returns how many."""
    now = timezone.now()
    environments = list(Environment.objects.select_related("project"))
    by_project: dict[Project, list[Environment]] = {}
    for environment in environments:
        by_project.setdefault(environment.project, []).append(environment)
    return sum(_remove_notes(project, here, now) for project, here in by_project.items())


def _remove_notes(project: Project, environments: Iterable[Environment], now: datetime) -> int:
    is_renewed = _renew_announcements(project, environments, now)
    with transaction.atomic():
        old: dict[str, int] = {
            "fetches": Fetches.objects.filter(
                environment__in=environments, last_at__lt=now - FETCHES_LAST
            ).delete()[0],
            "findings": Finding.objects.filter(
                project=project, resolved_at__lt=now - FINDINGS_LAST
            ).delete()[0],
        }
        if is_renewed:
            announced = AnnouncedAssignment.objects.filter(environment__in=environments)
            old["told_assignments"] = announced.filter(at__lt=now - ANNOUNCEMENTS_LAST).delete()[0]
        removed = sum(old.values())
        if removed:
            details: dict[str, Detail] = {name: number for name, number in old.items() if number}
            record(CONSOLE, "old notes removed", f"{removed:,}", project=project, details=details)
    return removed


def _renew_announcements(
    project: Project, environments: Iterable[Environment], now: datetime
) -> bool:
    """Renew the announcements of connected agents; False while the broker is silent.

    An agent may hold one stream for months, and its announcements must exist when it reconnects.
    """
    aging = AnnouncedAssignment.objects.filter(
        environment__in=environments, at__lt=now - RENEWED_AFTER
    ).order_by()
    places = set(aging.values_list("environment", "environment__name").distinct())
    if not places:
        return False
    connected = news.connected(project.pk)
    if connected is None:
        return False
    for environment_id, name in places:
        agents = sorted({each.agent for each in connected if each.environment == name})
        for start in range(0, len(agents), AT_ONCE):
            some = aging.filter(
                environment=environment_id, agent__in=agents[start : start + AT_ONCE]
            )
            some.update(at=now)
    return True
