"""What environments require, and the requests for deployments that wait or ended."""

from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from governance.contracts.queries.requests import is_waiting, requests_read_along
from governance.core.deployment_requests import RequestStatus, Required
from governance.models import (
    BundleVersion,
    Deployment,
    DeploymentRequest,
    Environment,
    Project,
)


def lacks_second_person(
    version: BundleVersion, environment: Environment, required: Required
) -> bool:
    """Whether one is required, and none has ever let exactly these bytes go live there."""
    if not required.second_person:
        return False
    there = Deployment.objects.filter(version=version, environment=environment)
    return not there.exclude(approved_by="").exists()


def request_numbered(project: Project, number: int) -> DeploymentRequest | None:
    return requests_read_along().filter(environment__project=project, pk=number).first()


def ended_requests(project: Project, before: int | None, limit: int) -> list[DeploymentRequest]:
    rows = requests_read_along().filter(~is_waiting(), environment__project=project).order_by("-id")
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def requests_before(
    project: Project,
    before: int | None,
    limit: int,
    *,
    status: str = "",
    environment: str = "",
    bundle: str = "",
) -> list[DeploymentRequest]:
    """A page of all requests, newest first."""
    rows = requests_read_along().filter(environment__project=project).order_by("-id")
    if status:
        rows = rows.filter(_standing(RequestStatus(status)))
    if environment:
        rows = rows.filter(environment__name=environment)
    if bundle:
        rows = rows.filter(bundle__name=bundle)
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def due_requests(now: datetime, limit: int) -> list[DeploymentRequest]:
    """Of all projects those whose time is over and that are not noted as such."""
    rows = DeploymentRequest.objects.filter(status=RequestStatus.PENDING, expires_at__lte=now)
    return list(rows.select_related("bundle").order_by("expires_at")[:limit])


def _standing(status: RequestStatus) -> Q:
    match status:
        case RequestStatus.PENDING:
            return is_waiting()
        case RequestStatus.EXPIRED:
            over = Q(status=RequestStatus.PENDING, expires_at__lte=timezone.now())
            return Q(status=RequestStatus.EXPIRED) | over
        case _:
            return Q(status=status)
