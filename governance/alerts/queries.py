"""Queries for alerts: open, snoozed, resolved and dismissed."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from governance.models import ApiKey, Finding, Project
from governance.people.domain import KEYS_OF_MEMBER, MANAGE_KEY, key_of

AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class AlertCounts:
    open: int
    snoozed: int
    resolved: int  # or dismissed


def open_alerts(project: Project, limit: int = 200, environment: str = "") -> list[Finding]:
    """Open alerts, worst first: errors before warnings, then by calls affected, then newest."""
    rows = _within(_open(project), environment)
    return list(rows.order_by("severity", "-impact", "-since", "-id")[:limit])


def snoozed_alerts(project: Project, limit: int = 200, environment: str = "") -> list[Finding]:
    """Snoozed alerts, earliest end first."""
    rows = _within(_snoozed(project), environment)
    return list(rows.order_by("snoozed_until", "id")[:limit])


def resolved_alerts(project: Project, limit: int = 50, environment: str = "") -> list[Finding]:
    """Resolved and dismissed alerts, newest first."""
    rows = _within(_resolved(project), environment)
    return list(rows.order_by(Coalesce("dismissed_at", "resolved_at").desc(), "-id")[:limit])


def alert_counts(project: Project, environment: str = "") -> AlertCounts:
    """Number of alerts by state. For an environment, this includes project-wide alerts."""
    states = (_open(project), _snoozed(project), _resolved(project))
    return AlertCounts(*(_within(rows, environment).count() for rows in states))


def projects_with_findings(kind: str) -> set[int]:
    """Ids of projects with an unresolved finding of this kind, including dismissed ones."""
    return set(_unresolved().filter(kind=kind).order_by().values_list("project", flat=True))


def finding_numbered(project: Project, finding_id: int) -> Finding | None:
    return Finding.objects.filter(project=project, pk=finding_id).first()


def findings_of_unused_keys(now: datetime, *, unused_since: datetime) -> list[int]:
    """Ids of findings about keys that have ended or are no longer used."""
    rows = _unresolved().filter(kind=MANAGE_KEY).order_by("last_at")[:AT_ONCE]
    by_key = {key: row.pk for row in rows if (key := key_of(row.subject)) is not None}
    in_use = ApiKey.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=now),
        pk__in=by_key,
        revoked_at=None,
        last_used_at__gt=unused_since,
    )
    used = set(in_use.values_list("pk", flat=True))
    return [finding for key, finding in by_key.items() if key not in used]


def forgotten_findings(noticed_before: datetime) -> list[int]:
    """Ids of findings about single events that have not recurred since this time."""
    rows = _unresolved().filter(lasts=False, last_at__lt=noticed_before)
    rows = rows.exclude(kind__in=[MANAGE_KEY, KEYS_OF_MEMBER])
    return list(rows.order_by("last_at").values_list("pk", flat=True)[:AT_ONCE])


def agents_against_their_stop(project_id: int, environment: str) -> set[str]:
    """Agents whose calls show that they ignore their stop, even if they acknowledged it."""
    rows = _unresolved().filter(project=project_id, kind=STOP_NOT_OBEYED, environment=environment)
    return {
        each.removesuffix(f" in {environment}") for each in rows.values_list("subject", flat=True)
    }


def _within(rows: QuerySet[Finding], environment: str) -> QuerySet[Finding]:
    return rows.filter(environment__in=("", environment)) if environment else rows


def _open(project: Project) -> QuerySet[Finding]:
    return _undismissed(project).filter(
        Q(snoozed_until=None) | Q(snoozed_until__lte=timezone.now())
    )


def _snoozed(project: Project) -> QuerySet[Finding]:
    return _undismissed(project).filter(snoozed_until__gt=timezone.now())


def _undismissed(project: Project) -> QuerySet[Finding]:
    return Finding.objects.filter(project=project, resolved_at=None, dismissed_at=None)


def _resolved(project: Project) -> QuerySet[Finding]:
    return Finding.objects.filter(project=project).exclude(resolved_at=None, dismissed_at=None)


def _unresolved() -> QuerySet[Finding]:
    return Finding.objects.filter(resolved_at=None)


STOP_NOT_OBEYED = "agent_has_not_taken_stop"  # kind of finding
