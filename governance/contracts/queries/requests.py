"""Requests to deploy a contract that can still be decided."""

from django.db.models import Q, QuerySet
from django.utils import timezone

from governance.core.deployment_requests import RequestStatus
from governance.models import (
    Bundle,
    DeploymentRequest,
    Project,
)


def waiting_request(bundle: Bundle, environment: str) -> DeploymentRequest | None:
    """Pending request for any version, to the environment of this name."""
    return (
        requests_read_along()
        .filter(is_waiting(), bundle=bundle, environment__name=environment)
        .first()
    )


def waiting_requests(
    project: Project, *, bundle: Bundle | None = None, limit: int = 100
) -> list[DeploymentRequest]:
    """Pending requests, the next to expire first."""
    rows = (
        requests_read_along()
        .filter(is_waiting(), environment__project=project)
        .order_by("expires_at", "id")
    )
    return list((rows.filter(bundle=bundle) if bundle else rows)[:limit])


def requests_read_along() -> QuerySet[DeploymentRequest]:
    return DeploymentRequest.objects.select_related(
        "bundle__project", "version__bundle__project", "environment", "deployment"
    )


def is_waiting() -> Q:
    return Q(status=RequestStatus.PENDING, expires_at__gt=timezone.now())
