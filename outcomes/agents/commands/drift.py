"""Agents that do not run what they ought to, as findings: opened by a look, and ended by one."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from governance.findings import Seen, Told, look
from governance.people.queries.projects import projects_with_agents
from outcomes.agents.domain.fleet import Drift, Standing, drift_of, is_late, is_seen
from outcomes.agents.queries.fleet import Fleet, FleetAgent, fleet
from outcomes.web.addresses import agent_url

MANY = 20  # of one kind in one environment: from here on they are one finding


@dataclass(frozen=True, slots=True)
class Drifting:
    """An agent and what is wrong with it; for so long that somebody should look, or not yet."""

    agent: FleetAgent
    drift: Drift
    is_late: bool


def find_drift() -> None:
    now = timezone.now()
    for project in projects_with_agents():
        _look_at(project.pk, project.slug, now)


def _look_at(project_id: int, slug: str, now: datetime) -> None:
    groups: dict[tuple[str, Drift], list[Drifting]] = defaultdict(list)
    for each in _drifting(fleet(project_id), now):
        groups[each.agent.environment, each.drift].append(each)
    seen: dict[Seen, Told] = {}
    still: list[Seen] = []
    for (environment, drift), group in groups.items():
        if len(group) > MANY:
            place = (drift.value, f"more than {MANY} agents in {environment}")
            if any(each.is_late for each in group):
                seen[place] = _told_of_many(slug, environment, drift, group)
            else:
                still.append(place)
            continue
        for each in group:
            place = (drift.value, f"{each.agent.name} in {environment}")
            if each.is_late:
                seen[place] = _told(slug, each)
            else:
                still.append(place)
    look(project_id, list(Drift), seen, still=still)


def _drifting(whole: Fleet, now: datetime) -> Iterator[Drifting]:
    for agent in whole.agents:
        drift = drift_of(agent.standing, reported=agent.reported, sent=agent.sent)
        if drift is not None:
            shown_at = _shown_at(agent, drift, now)
            if shown_at is not None and is_seen(shown_at, now):
                late = is_late(shown_at, _changed_at(agent, drift, whole)) or _refuses(agent, drift)
                yield Drifting(agent, drift, late)


def _shown_at(agent: FleetAgent, drift: Drift, now: datetime) -> datetime | None:
    """When something showed it last: who holds a stream with the wrong document shows it now."""
    on_its_stream = agent.sent.is_known and agent.standing is not Standing.SENT
    if agent.streams and (on_its_stream or drift is Drift.STOP):
        return now
    return agent.called_at


def _refuses(agent: FleetAgent, drift: Drift) -> bool:
    """A stop that it was sent: it calls on, and no time will change that."""
    return drift is Drift.STOP and agent.sent.blocks_all


def _changed_at(agent: FleetAgent, drift: Drift, whole: Fleet) -> datetime | None:
    """Since when it ought to run something else."""
    match drift:
        case Drift.FOREIGN:
            return whole.in_force.assigned_at(agent.environment, agent.name)
        case Drift.BEHIND:
            deployed_at = whole.in_force.deployed_at(agent.environment, agent.newest.bundle)
            # Calls from before it was sent the newest say nothing of that.
            sent_at = agent.connected_since if agent.standing is Standing.SENT else None
            return max(filter(None, (deployed_at, sent_at)), default=None)
        case Drift.STOP:
            return agent.stop.at if agent.stop else None
        case Drift.UNKNOWN:
            return None


def _told(slug: str, each: Drifting) -> Told:
    agent = each.agent
    link = agent_url(slug, agent.name)
    return Told(why=_why(each), link=link, environment=agent.environment, agent=agent.name)


def _told_of_many(slug: str, environment: str, drift: Drift, group: list[Drifting]) -> Told:
    state = {"state": "stopped" if drift is Drift.STOP else "drifting"}
    state = {} if drift is Drift.UNKNOWN else state
    query = urlencode({"environment": environment} | state)
    first = min(group, key=lambda each: (not each.is_late, each.agent.name))
    return Told(
        why=f"There are {len(group):,} of them. Of {first.agent.name}: {_why(first)}",
        link=f"{reverse('outcomes:agents', args=[slug])}?{query}",
        environment=environment,
    )


def _why(each: Drifting) -> str:
    agent = each.agent
    newest = f"{agent.newest.bundle} v{agent.newest.number}"
    match each.drift:
        case Drift.FOREIGN:
            return (
                f"It runs {newest} and is assigned {' or '.join(agent.assigned)}. Start it without"
                " the name of a bundle, or assign it the one it runs. A key for assigned bundles"
                " only keeps an agent from choosing."
            )
        case Drift.BEHIND if agent.standing is Standing.SENT:
            return (
                f"It was sent {newest}, and its calls still run under {_name(agent)}. It may have"
                " refused the new one: its own log tells why."
            )
        case Drift.BEHIND:
            return (
                f"It runs {newest}; v{agent.deployed} is deployed. Start it anew, or let it hold a"
                " stream, so that it is told of a deployment at once."
            )
        case Drift.UNKNOWN:
            return (
                f"Its calls name {_name(agent)}, which was never saved here: it has its contract"
                " from a file of its own or from another console. Save that contract here, or point"
                " the agent at this console."
            )
        case Drift.STOP if agent.sent.blocks_all:
            return (
                f"It was sent the stop, and its calls still run under {_name(agent)}. It may have"
                " refused the document: its own log tells why. End its process, or revoke its key."
            )
        case Drift.STOP:
            return (
                "A stop stands, and nothing says that it has taken it: it takes it when it next"
                " asks for its document. Start it anew, or revoke its key."
            )


def _name(agent: FleetAgent) -> str:
    runs = agent.reported
    return (
        f"{runs.bundle} v{runs.number}" if runs.is_known else f"the contract {runs.revision[:12]}"
    )
