"""Deployed versions, deployment requests, and deployment plans."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from governance.case_runs.queries import Ran, blocked_by, run_of
from governance.contracts.domain.meaning import changes
from governance.contracts.queries.contracts import NAME, version_of
from governance.contracts.queries.requests import is_waiting, requests_read_along, waiting_request
from governance.core.deployment_requests import Blocked, RequestStatus, Required
from governance.deployments import requirements
from governance.deployments.requirements import Evidence
from governance.models import (
    Bundle,
    BundleVersion,
    Deployment,
    DeploymentRequest,
    Environment,
    Project,
)
from governance.people.queries.projects import required_in
from governance.texts.changes import Change
from governance.texts.document import read_document


@dataclass(frozen=True, slots=True)
class VersionThere:
    """A version and an environment, whether it is deployed there or not."""

    version: BundleVersion
    environment: Environment


@dataclass(frozen=True, slots=True)
class Deployed:
    """Summary of a deployment, for other modules."""

    number: int
    environment: str
    contract: str
    version: int
    at: datetime


def newest_deployments(project_id: int) -> dict[int, Deployed]:
    """Newest deployment of each environment, by environment id."""
    last = Deployment.objects.filter(environment=OuterRef("pk")).order_by("-id").values("pk")[:1]
    newest = Environment.objects.filter(project=project_id).values(last=Subquery(last))
    rows = Deployment.objects.filter(pk__in=newest).values_list(
        "environment", "pk", "environment__name", "version__bundle__name", "version__number",
        "created_at",
    )  # fmt: skip
    return {row[0]: Deployed(*row[1:]) for row in rows}


def version_there(
    project: Project, bundle: str, environment: str, number: int | None = None
) -> VersionThere | None:
    """Version with this number, or else the one that is deployed there."""
    if not NAME.fullmatch(bundle) or "\0" in environment:
        return None
    if number is None:
        rows = Deployment.objects.select_related("environment", "version__bundle__project")
        live = rows.filter(
            version__bundle__project=project,
            version__bundle__name=bundle,
            environment__name=environment,
        )
        live_now = live.order_by("-id").first()
        return VersionThere(live_now.version, live_now.environment) if live_now else None
    place = Environment.objects.filter(project=project, name=environment).first()
    version = version_of(project, bundle, number)
    return VersionThere(version, place) if version and place else None


def live_with_text(bundle: Bundle, environment: str) -> Deployment | None:
    rows = Deployment.objects.select_related("environment", "version__bundle")
    rows = rows.filter(version__bundle=bundle, environment__name=environment)
    return rows.order_by("-id").first()


def lacks_second_person(
    version: BundleVersion, environment: Environment, required: Required
) -> bool:
    """Whether a second person is required and none has ever approved this version there."""
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
    """Page of deployment requests, newest first."""
    rows = requests_read_along().filter(environment__project=project).order_by("-id")
    if status:
        rows = rows.filter(_with_status(RequestStatus(status)))
    if environment:
        rows = rows.filter(environment__name=environment)
    if bundle:
        rows = rows.filter(bundle__name=bundle)
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def due_requests(now: datetime, limit: int) -> list[DeploymentRequest]:
    """Requests of all projects that have expired but are still marked as pending."""
    rows = DeploymentRequest.objects.filter(status=RequestStatus.PENDING, expires_at__lte=now)
    return list(rows.select_related("bundle").order_by("expires_at")[:limit])


def _with_status(status: RequestStatus) -> Q:
    match status:
        case RequestStatus.PENDING:
            return is_waiting()
        case RequestStatus.EXPIRED:
            over = Q(status=RequestStatus.PENDING, expires_at__lte=timezone.now())
            return Q(status=RequestStatus.EXPIRED) | over
        case _:
            return Q(status=status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    version: BundleVersion
    environment: str  # its name; it may not exist yet
    live: Deployment | None
    changes: tuple[Change, ...]
    required: Required
    evidence: Evidence | None
    narrowed: Evidence | None  # newer backtest of some of the calls only
    tests: Ran | None  # None: already deployed, so not needed
    blocked: list[Blocked]
    waiting: DeploymentRequest | None  # pending, for any version of the bundle there

    @property
    def is_live(self) -> bool:
        return self.live is not None and self.live.version_id == self.version.pk

    @property
    def goes_back(self) -> bool:
        return self.live is not None and self.live.version.number > self.version.number

    @property
    def can_be_overridden(self) -> bool:
        return bool(self.blocked) and all(each.overridable for each in self.blocked)

    @property
    def is_requested(self) -> bool:
        return self.waiting is not None and self.waiting.version_id == self.version.pk


def plan_of(version: BundleVersion, environment: str, required: Required | None = None) -> Plan:
    """Deployment plan. Runs the contract's tests against the version, which may take seconds."""
    live = live_with_text(version.bundle, environment)
    required = required or required_in(version.bundle.project, environment)
    evidence = requirements.newest_evidence(version, environment)
    tests: Ran | None = None
    blocked: list[Blocked] = []
    if live is None or live.version_id != version.pk:
        tests = run_of(version)
        blocked = [*blocked_by(tests), *requirements.lacking(evidence, environment, required)]
    return Plan(
        version=version,
        environment=environment,
        live=live,
        changes=meaning_between(live.version if live else None, version),
        required=required,
        evidence=evidence,
        narrowed=requirements.newer_than(evidence, version, environment),
        tests=tests,
        blocked=blocked,
        waiting=waiting_request(version.bundle, environment),
    )


def meaning_between(before: BundleVersion | None, after: BundleVersion) -> tuple[Change, ...]:
    return changes(
        read_document(bytes(before.document)) if before else None,
        read_document(bytes(after.document)),
    )
