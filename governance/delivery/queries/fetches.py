"""Agents that fetch their document repeatedly, as agents that can't read it do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.db.models import F, QuerySet
from django.utils import timezone

from governance.delivery import news
from governance.models import Fetches, Finding

UNREAD = "document_not_read"
AGAIN_WITHIN = timedelta(hours=1)
SETTLED_AFTER = timedelta(seconds=30)  # enough for its first events to arrive
MOST = 500  # rows per query


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """An agent that fetched three times, and the time of the first of them."""

    project_id: int
    project_slug: str
    environment_id: int
    environment: str
    agent: str
    since: datetime

    def __str__(self) -> str:
        return f"{self.agent} in {self.environment}"


def repeated_fetches() -> list[Repeated]:
    """Agents without a stream that fetched three times within the last hour."""
    now = timezone.now()
    rows = Fetches.objects.filter(
        last_at__gt=now - AGAIN_WITHIN,
        last_at__lt=now - SETTLED_AFTER,
        third_last_at__gt=F("last_at") - AGAIN_WITHIN,
    ).order_by("environment__project_id", "-last_at")
    repeated: list[Repeated] = []
    for project_id, fetches in groupby(_read(rows), lambda each: each.project_id):
        connected = {(each.environment, each.agent) for each in news.connected(project_id) or ()}
        repeated += (each for each in fetches if (each.environment, each.agent) not in connected)
    return repeated


def fetches_with_finding() -> list[Repeated]:
    """Repeated fetches with an open finding, to check whether they have stopped."""
    findings = set(
        Finding.objects.filter(kind=UNREAD, resolved_at=None)
        .order_by("-last_at")
        .values_list("project", "subject")[:MOST]
    )
    agents = {subject.rpartition(" in ")[0] for _, subject in findings}
    rows = Fetches.objects.filter(
        agent__in=agents, environment__project__in={project for project, _ in findings}
    ).order_by("-last_at")
    return [each for each in _read(rows) if (each.project_id, str(each)) in findings]


def _read(rows: QuerySet[Fetches]) -> list[Repeated]:
    return [
        Repeated(
            project_id=row.environment.project_id,
            project_slug=row.environment.project.slug,
            environment_id=row.environment_id,
            environment=row.environment.name,
            agent=row.agent,
            since=row.third_last_at or row.last_at,
        )
        for row in rows.select_related("environment__project")[:MOST]
    ]
