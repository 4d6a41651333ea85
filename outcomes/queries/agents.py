"""What is known of agents from what they reported."""

from datetime import datetime

from outcomes.codec import digest_of
from outcomes.models import Agent, AgentMinute


def has_reported_since(project: int, environment: int, agent: str, since: datetime) -> bool:
    """By the minute; of settled calls, whenever they arrived."""
    known = Agent.objects.filter(project=project, digest=digest_of(agent))
    return AgentMinute.objects.filter(
        environment=environment,
        minute__gte=since.replace(second=0, microsecond=0),
        agent__in=known,
    ).exists()
