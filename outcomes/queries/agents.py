"""What is known of agents from what they reported."""

from datetime import datetime

from outcomes.codec import digest_of
from outcomes.models import Agent, AgentMinute

MOST_NAMES = 1_000  # to choose from; more than that are typed


def has_reported_since(project: int, environment: int, agent: str, since: datetime) -> bool:
    """By the minute; of settled calls, whenever they arrived."""
    known = Agent.objects.filter(project=project, digest=digest_of(agent))
    return AgentMinute.objects.filter(
        environment=environment,
        minute__gte=since.replace(second=0, microsecond=0),
        agent__in=known,
    ).exists()


def agent_names(project: int) -> list[str]:
    known = Agent.objects.filter(project=project)
    return list(known.order_by("name").values_list("name", flat=True)[:MOST_NAMES])
