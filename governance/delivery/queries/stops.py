"""Emergency stops and the progress of their rollout."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from governance.alerts.queries import agents_against_their_stop
from governance.delivery import news
from governance.delivery.domain import is_stopped_by
from governance.models import Environment, Project, Stop


def is_stopped(environment_id: int, agent: str) -> bool:
    named = {"", agent} if "\0" not in agent else {""}
    return Stop.objects.filter(environment=environment_id, agent__in=named, lifted_at=None).exists()


def stop_of(environment: Environment, agent: str = "") -> Stop | None:
    """Active stop of this agent, or of the whole environment if no agent is given."""
    return Stop.objects.filter(environment=environment, agent=agent, lifted_at=None).first()


def stop_numbered(project: Project, stop_id: int) -> Stop | None:
    rows = Stop.objects.filter(environment__project=project).select_related("environment__project")
    return rows.filter(pk=stop_id).first()


@dataclass(frozen=True, slots=True)
class Holder:
    """Connected agent, with one or more streams."""

    agent: str
    since: datetime
    has_acknowledged: (
        bool  # all its streams were sent the document that blocks every call, and it obeys
    )
    is_silent: bool  # it polls for its document, and has not fetched a stop


def holders(project_id: int, environment: str, agent: str = "") -> list[Holder] | None:
    """Connected agents of an environment, or only this one, by name.

    None if the broker doesn't respond.
    """
    connected = news.connected(project_id)
    if connected is None:
        return None
    by_agent: dict[str, list[news.Connected]] = {}
    for each in connected:
        if each.environment == environment and agent in ("", each.agent):
            by_agent.setdefault(each.agent, []).append(each)
    against = agents_against_their_stop(project_id, environment) if by_agent else set()
    return [
        _holder(name, streams, obeys=name not in against)
        for name, streams in sorted(by_agent.items())
    ]


def _holder(agent: str, streams: Iterable[news.Connected], *, obeys: bool) -> Holder:
    streams = list(streams)
    return Holder(
        agent,
        datetime.fromtimestamp(max(each.since for each in streams), UTC),
        obeys and all(is_stopped_by(each.revision) for each in streams),
        any(not each.revision for each in streams),
    )
