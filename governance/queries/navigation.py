"""What every page shows beside its navigation, in one query."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce

from governance.domain.deploying import RequestStatus
from governance.models import Bundle, Check, DeploymentRequest, Finding
from governance.queries.approvals import environments_with_waiting


@dataclass(frozen=True, slots=True)
class Navigation:
    waiting: dict[str, int]  # approvals, by the names of all environments
    findings: int  # that are open
    requests: int  # deployments that wait for a second person
    begun: bool  # it has a contract and a success check of its own


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
    begun = Exists(Bundle.objects.filter(project=project_id)) & Exists(
        Check.objects.filter(project=project_id)
    )
    rows = environments_with_waiting(project_id, now).annotate(
        findings=Coalesce(Subquery(found), 0), asked=Coalesce(Subquery(asked), 0), begun=begun
    )
    told = list(rows.values_list("name", "waiting", "findings", "asked", "begun"))
    _, _, findings, requests, is_begun = told[0] if told else ("", 0, 0, 0, False)
    names = {name: waiting for name, waiting, *_ in told}
    return Navigation(names, findings, requests, is_begun)
