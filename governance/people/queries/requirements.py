"""What environments require before a version goes live there."""

from governance.core.deployment_requests import NOTHING_REQUIRED, Required
from governance.models import (
    Environment,
    Project,
    Requirements,
)


def required_in(project: Project, environment: str) -> Required:
    row = Requirements.objects.filter(
        environment__project=project, environment__name=environment
    ).first()
    return row.required() if row else NOTHING_REQUIRED


def requirements_by_environment(project: Project) -> dict[str, Required]:
    """Of all environments, by name."""
    rows = Environment.objects.filter(project=project).select_related("requirements")
    return {row.name: _required(row) for row in rows}


def _required(environment: Environment) -> Required:
    row: Requirements | None = getattr(environment, "requirements", None)
    return row.required() if row else NOTHING_REQUIRED
