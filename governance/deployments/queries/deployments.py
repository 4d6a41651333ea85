"""What is live, with its text; a version by its names alone; and what was deployed last."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, Subquery

from governance.contracts.queries.contracts import NAME, version_of
from governance.models import Bundle, BundleVersion, Deployment, Environment, Project


@dataclass(frozen=True, slots=True)
class VersionThere:
    """A version in one environment, live there or not."""

    version: BundleVersion
    environment: Environment


@dataclass(frozen=True, slots=True)
class Deployed:
    """A deployment, as others tell of it."""

    number: int
    environment: str
    contract: str
    version: int
    at: datetime


def newest_deployments(project_id: int) -> dict[int, Deployed]:
    """The last one of each environment, by the number of the environment."""
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
    """The one that is live there, unless another is named."""
    if not NAME.fullmatch(bundle) or "\0" in environment:
        return None
    if number is None:
        rows = Deployment.objects.select_related("environment", "version__bundle__project")
        live = rows.filter(
            version__bundle__project=project,
            version__bundle__name=bundle,
            environment__name=environment,
        )
        found = live.order_by("-id").first()
        return VersionThere(found.version, found.environment) if found else None
    place = Environment.objects.filter(project=project, name=environment).first()
    version = version_of(project, bundle, number)
    return VersionThere(version, place) if version and place else None


def live_with_text(bundle: Bundle, environment: str) -> Deployment | None:
    rows = Deployment.objects.select_related("environment", "version__bundle")
    rows = rows.filter(version__bundle=bundle, environment__name=environment)
    return rows.order_by("-id").first()
