"""What is live, with its text; and a version by its names alone."""

from governance.models import Bundle, BundleVersion, Deployment, Project
from governance.queries.contracts import NAME


def version_of(project: Project, bundle: str, number: int) -> BundleVersion | None:
    if not NAME.fullmatch(bundle):  # a NUL is more than PostgreSQL would look for
        return None
    rows = BundleVersion.objects.select_related("bundle__project")
    return rows.filter(bundle__project=project, bundle__name=bundle, number=number).first()


def live_with_text(bundle: Bundle, environment: str) -> Deployment | None:
    rows = Deployment.objects.select_related("environment", "version__bundle")
    rows = rows.filter(version__bundle=bundle, environment__name=environment)
    return rows.order_by("-id").first()
