"""What environments require, and the requests for deployments that wait or ended."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils import timezone

from governance.deployments.domain import NOTHING_REQUIRED, RequestStatus, Required
from governance.models import (
    Bundle,
    BundleVersion,
    Deployment,
    DeploymentRequest,
    Environment,
    Project,
    Requirements,
)


def required_in(project: Project, environment: str) -> Required:
    row = Requirements.objects.filter(
        environment__project=project, environment__name=environment
    ).first()
    return row.required() if row else NOTHING_REQUIRED


def lacks_second_person(
    version: BundleVersion, environment: Environment, required: Required
) -> bool:
    """Whether one is required, and none has ever let exactly these bytes go live there."""
    if not required.second_person:
        return False
    there = Deployment.objects.filter(version=version, environment=environment)
    return not there.exclude(approved_by="").exists()


def requirements_by_environment(project: Project) -> dict[str, Required]:
    """Of all environments, by name."""
    rows = Environment.objects.filter(project=project).select_related("requirements")
    return {row.name: _required(row) for row in rows}


def request_numbered(project: Project, number: int) -> DeploymentRequest | None:
    return _whole().filter(environment__project=project, pk=number).first()


def waiting_request(bundle: Bundle, environment: str) -> DeploymentRequest | None:
    """For any version of it, to the environment of this name."""
    return _whole().filter(_waiting(), bundle=bundle, environment__name=environment).first()


def waiting_requests(
    project: Project, *, bundle: Bundle | None = None, limit: int = 100
) -> list[DeploymentRequest]:
    """Those that somebody can still decide, the one that runs out first on top."""
    rows = _whole().filter(_waiting(), environment__project=project).order_by("expires_at", "id")
    return list((rows.filter(bundle=bundle) if bundle else rows)[:limit])


def ended_requests(project: Project, before: int | None, limit: int) -> list[DeploymentRequest]:
    rows = _whole().filter(~_waiting(), environment__project=project).order_by("-id")
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
    rows = _whole().filter(environment__project=project).order_by("-id")
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


def _whole() -> QuerySet[DeploymentRequest]:
    return DeploymentRequest.objects.select_related(
        "bundle__project", "version__bundle__project", "environment", "deployment"
    )


def _waiting() -> Q:
    return Q(status=RequestStatus.PENDING, expires_at__gt=timezone.now())


def _standing(status: RequestStatus) -> Q:
    match status:
        case RequestStatus.PENDING:
            return _waiting()
        case RequestStatus.EXPIRED:
            over = Q(status=RequestStatus.PENDING, expires_at__lte=timezone.now())
            return Q(status=RequestStatus.EXPIRED) | over
        case _:
            return Q(status=status)


def _required(environment: Environment) -> Required:
    row: Requirements | None = getattr(environment, "requirements", None)
    return row.required() if row else NOTHING_REQUIRED
