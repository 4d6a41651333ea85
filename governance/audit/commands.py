"""What leaves by its age: ended approvals and old notes, each audited, and sessions of browsers."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from importlib import import_module

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from governance.approvals.domain import Status
from governance.approvals.queries import approvals_ended_before, projects_with_approvals_before
from governance.audit.log import Detail, record
from governance.core.actor import CONSOLE
from governance.delivery import news
from governance.models import Approval, Environment, Fetches, Finding, Project, ToldAssignment

AT_ONCE = 500
RUNS = 40  # of one project at a time; the next look goes on
FETCHES_KEPT = timedelta(days=7)
FINDINGS_KEPT = timedelta(days=90)  # after they were over
TOLD_KEPT = timedelta(days=90)  # after their agent was connected last
RENEWED_AFTER = TOLD_KEPT / 2

WORDS = {Status.APPROVED: "approved", Status.DENIED: "rejected", Status.TIMEOUT: "timed_out"}


def remove_old_approvals() -> int:
    """Those that ended so long ago, with their arguments; how many."""
    if settings.KEEP_APPROVALS <= 0:
        return 0
    before = timezone.now() - timedelta(days=settings.KEEP_APPROVALS)
    removed = 0
    for project in projects_with_approvals_before(before):
        for _ in range(RUNS):
            went = _remove_approvals(project, before)
            removed += went
            if went < AT_ONCE:
                break
    return removed


@transaction.atomic
def _remove_approvals(project: Project, before: datetime) -> int:
    rows = approvals_ended_before(project, before, AT_ONCE)
    if not rows:
        return 0
    Approval.objects.filter(pk__in=[pk for pk, _, _ in rows]).delete()
    numbers = Counter(WORDS[Status(status)] for _, status, _ in rows)
    details: dict[str, Detail] = {
        "ended_from": rows[0][2].isoformat(),
        "ended_until": rows[-1][2].isoformat(),
    }
    subject = f"{len(rows):,} that ended before {before:%Y-%m-%d}"
    record(CONSOLE, "old approvals removed", subject, project=project, details=details | numbers)
    return len(rows)


def remove_expired_browser_sessions() -> None:
    """Those of people who have not come back; they open nothing any more."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()


def remove_old_notes() -> int:
    """What the console noted of agents that are gone, and findings long over; how many."""
    now = timezone.now()
    environments = list(Environment.objects.select_related("project"))
    by_project: dict[Project, list[Environment]] = {}
    for environment in environments:
        by_project.setdefault(environment.project, []).append(environment)
    return sum(_remove_notes(project, here, now) for project, here in by_project.items())


def _remove_notes(project: Project, environments: Iterable[Environment], now: datetime) -> int:
    told_is_sure = _renew_told(project, environments, now)
    with transaction.atomic():
        old: dict[str, int] = {
            "fetches": Fetches.objects.filter(
                environment__in=environments, last_at__lt=now - FETCHES_KEPT
            ).delete()[0],
            "findings": Finding.objects.filter(
                project=project, resolved_at__lt=now - FINDINGS_KEPT
            ).delete()[0],
        }
        if told_is_sure:
            told = ToldAssignment.objects.filter(environment__in=environments)
            old["told_assignments"] = told.filter(at__lt=now - TOLD_KEPT).delete()[0]
        removed = sum(old.values())
        if removed:
            details: dict[str, Detail] = {name: number for name, number in old.items() if number}
            record(CONSOLE, "old notes removed", f"{removed:,}", project=project, details=details)
    return removed


def _renew_told(project: Project, environments: Iterable[Environment], now: datetime) -> bool:
    """Whether those who are connected now have it noted; nobody knows while the broker is silent.

    An agent may hold one stream for months: what it was told must be there when it comes back.
    """
    aging = ToldAssignment.objects.filter(
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
