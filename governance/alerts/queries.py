"""The list of what needs attention."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from governance.models import ApiKey, Finding, Project
from governance.people.key_findings import KEYS_OF_MEMBER, MANAGE_KEY, key_of

AT_ONCE = 1_000


def open_findings(
    project: Project, limit: int = 200, *, environment: str = "", agent: str = ""
) -> list[Finding]:
    """Newest first. Of an environment or an agent: with what is of no single one."""
    found = _open().filter(project=project)
    if environment:
        found = found.filter(environment__in=["", environment])
    if agent:
        found = found.filter(agent__in=["", agent[:400]])
    return list(found.order_by("-since", "-id")[:limit])


def resolved_findings(project: Project, limit: int = 50) -> list[Finding]:
    """Those that are over and those that somebody dismissed; the latest first."""
    rows = Finding.objects.filter(project=project).exclude(resolved_at=None, dismissed_at=None)
    return list(rows.order_by(Coalesce("dismissed_at", "resolved_at").desc(), "-id")[:limit])


def number_of_open_findings(project: Project) -> int:
    return _open().filter(project=project).count()


def projects_with_findings(kind: str) -> set[int]:
    """Ids of those where one of this kind is not over, dismissed or not."""
    return set(_unresolved().filter(kind=kind).order_by().values_list("project", flat=True))


def finding_numbered(project: Project, finding_id: int) -> Finding | None:
    return Finding.objects.filter(project=project, pk=finding_id).first()


def findings_of_unused_keys(now: datetime, *, unused_since: datetime) -> list[int]:
    """Ids of those that tell of a key that has ended, or that nobody has used for long."""
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
    """Ids of those about what happened, long ago and not again."""
    rows = _unresolved().filter(lasts=False, last_at__lt=noticed_before)
    rows = rows.exclude(kind__in=[MANAGE_KEY, KEYS_OF_MEMBER])
    return list(rows.order_by("last_at").values_list("pk", flat=True)[:AT_ONCE])


def agents_against_their_stop(project_id: int, environment: str) -> set[str]:
    """Of whom was noticed that they do not take it; their calls tell, whatever they were sent."""
    rows = _unresolved().filter(project=project_id, kind=NOT_TAKEN, environment=environment)
    return {
        each.removesuffix(f" in {environment}") for each in rows.values_list("subject", flat=True)
    }


def _open() -> QuerySet[Finding]:
    return Finding.objects.filter(resolved_at=None, dismissed_at=None)


def _unresolved() -> QuerySet[Finding]:
    return Finding.objects.filter(resolved_at=None)


NOT_TAKEN = "agent_has_not_taken_stop"  # the kind of the finding
