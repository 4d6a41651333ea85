"""What every page shows beside its navigation, in one query."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from governance.domain.deploying import RequestStatus
from governance.models import DeploymentRequest, Finding
from governance.queries.approvals import environments_with_waiting


@dataclass(frozen=True, slots=True)
class Navigation:
    waiting: dict[str, int]  # approvals, by the names of all environments
    findings: int  # that are open
    requests: int  # deployments that wait for a second person


def navigation(project_id: int, now: datetime) -> Navigation:
    """A project without an environment has no key either, and nothing to be noticed."""
    found = (
        Finding.objects.filter(project=OuterRef("project"), resolved_at=None, dismissed_at=None)
        .order_by()
        .values("project")
        .annotate(number=Count("id"))
        .values("number")
    )
    asked = (
        DeploymentRequest.objects.filter(
            environment__project=OuterRef("project"),
            status=RequestStatus.PENDING,
            expires_at__gt=now,
        )
        .order_by()
        .values("environment__project")
        .annotate(number=Count("id"))
        .values("number")
    )
    rows = environments_with_waiting(project_id, now).annotate(
        findings=Coalesce(Subquery(found), 0), asked=Coalesce(Subquery(asked), 0)
    )
    told = list(rows.values_list("name", "waiting", "findings", "asked"))
    _, _, findings, requests = told[0] if told else ("", 0, 0, 0)
    return Navigation({name: waiting for name, waiting, *_ in told}, findings, requests)
