"""Stops that stand, of one agent or of a whole environment."""

from governance.models import Environment, Project, Stop


def is_stopped(environment_id: int, agent: str) -> bool:
    named = {"", agent} if "\0" not in agent else {""}
    return Stop.objects.filter(environment=environment_id, agent__in=named, lifted_at=None).exists()


def stop_of(environment: Environment, agent: str = "") -> Stop | None:
    """The one that stands for this agent by name; without a name for the environment."""
    return Stop.objects.filter(environment=environment, agent=agent, lifted_at=None).first()


def stop_numbered(project: Project, stop_id: int) -> Stop | None:
    rows = Stop.objects.filter(environment__project=project).select_related("environment__project")
    return rows.filter(pk=stop_id).first()
