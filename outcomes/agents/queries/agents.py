"""Names of agents, and whether they have reported."""

from datetime import datetime

from governance.people.queries.projects import environments_by_id
from outcomes.figures.queries.stats import figures
from outcomes.models import Agent
from outcomes.stored.queries import CallFilter

MOST_NAMES = 1_000  # offered as options; other names are typed


def has_reported_since(project: int, environment: int, agent: str, since: datetime) -> bool:
    """Whether an agent has settled calls since this minute, regardless of when they arrived."""
    minute = since.replace(second=0, microsecond=0)
    place = environments_by_id(project)[environment]
    return bool(figures(project, CallFilter(environment=place, agent=agent, since=minute)))


def agent_names(project: int) -> list[str]:
    known = Agent.objects.filter(project=project)
    return list(known.order_by("name").values_list("name", flat=True)[:MOST_NAMES])
