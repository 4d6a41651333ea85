"""Alerts for agents that don't run the expected contract, opened and closed by a periodic check."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from governance.core.texts import code
from governance.findings import Details, FindingKey, sync_findings
from governance.people.queries.projects import projects_with_agents
from outcomes.agents.domain.fleet import AgentState, Drift, drift_of, is_late, is_seen
from outcomes.agents.queries.fleet import Fleet, FleetAgent, fleet
from outcomes.web.addresses import agent_url

MANY = 20  # alerts of one kind in one environment; more are combined into one
_MANY = {
    Drift.FOREIGN: "run an unassigned contract",
    Drift.BEHIND: "are outdated",
    Drift.UNKNOWN: "run an unknown contract",
    Drift.STOP: "haven't stopped",
}


@dataclass(frozen=True, slots=True)
class Drifting:
    """An agent's drift, and whether it has lasted long enough for an alert."""

    agent: FleetAgent
    drift: Drift
    is_late: bool


def find_drift() -> None:
    now = timezone.now()
    for project in projects_with_agents():
        _check_project(project.pk, project.slug, now)


def _check_project(project_id: int, slug: str, now: datetime) -> None:
    groups: dict[tuple[str, Drift], list[Drifting]] = defaultdict(list)
    for each in _drifting(fleet(project_id), now):
        groups[each.agent.environment, each.drift].append(each)
    seen: dict[FindingKey, Details] = {}
    still: list[FindingKey] = []
    for (environment, drift), group in groups.items():
        if len(group) > MANY:
            place = (drift.value, f"more than {MANY} agents in {environment}")
            if any(each.is_late for each in group):
                seen[place] = _details_of_many(slug, environment, drift, group)
            else:
                still.append(place)
            continue
        for each in group:
            place = (drift.value, f"{each.agent.name} in {environment}")
            if each.is_late:
                seen[place] = _details(slug, each)
            else:
                still.append(place)
    sync_findings(project_id, list(Drift), seen, still=still)


def _drifting(agents: Fleet, now: datetime) -> Iterator[Drifting]:
    for agent in agents.agents:
        drift = drift_of(agent.state, reported=agent.reported, sent=agent.sent)
        if drift is not None:
            shown_at = _shown_at(agent, drift, now)
            if shown_at is not None and is_seen(shown_at, now):
                late = is_late(shown_at, _changed_at(agent, drift, agents)) or _refuses(
                    agent, drift
                )
                yield Drifting(agent, drift, late)


def _shown_at(agent: FleetAgent, drift: Drift, now: datetime) -> datetime | None:
    """When the drift was last seen: now if the agent's stream has the wrong document, else at its
    newest call."""
    on_its_stream = agent.sent.is_known and agent.state is not AgentState.SENT
    if agent.streams and (on_its_stream or drift is Drift.STOP):
        return now
    return agent.called_at


def _refuses(agent: FleetAgent, drift: Drift) -> bool:
    """Whether the agent keeps calling although the stop was sent, which waiting won't change."""
    return drift is Drift.STOP and agent.sent.blocks_all


def _changed_at(agent: FleetAgent, drift: Drift, agents: Fleet) -> datetime | None:
    """When the agent's expected contract last changed."""
    match drift:
        case Drift.FOREIGN:
            return agents.in_force.assigned_at(agent.environment, agent.name)
        case Drift.BEHIND:
            deployed_at = agents.in_force.deployed_at(agent.environment, agent.newest.bundle)
            # Calls from before the newest version was sent prove nothing.
            sent_at = agent.connected_since if agent.state is AgentState.SENT else None
            return max(filter(None, (deployed_at, sent_at)), default=None)
        case Drift.STOP:
            return agent.stop.at if agent.stop else None
        case Drift.UNKNOWN:
            return None


def _details(slug: str, each: Drifting) -> Details:
    agent = each.agent
    link = agent_url(slug, agent.name)
    return Details(
        title=_title(each),
        why=f"{agent.environment}. {_why(each)}",
        severity="error" if each.drift is Drift.STOP else "warning",
        link=link,
        environment=agent.environment,
        agent=agent.name,
    )


def _details_of_many(slug: str, environment: str, drift: Drift, group: list[Drifting]) -> Details:
    state = {"state": "stopped" if drift is Drift.STOP else "drifting"}
    state = {} if drift is Drift.UNKNOWN else state
    query = urlencode({"environment": environment} | state)
    first = min(group, key=lambda each: (not each.is_late, each.agent.name))
    return Details(
        title=f"{len(group):,} agents {_MANY[drift]} in {code(environment)}",
        why=f"First: {code(first.agent.name)}. {_why(first)}",
        severity="error" if drift is Drift.STOP else "warning",
        link=f"{reverse('outcomes:agents', args=[slug])}?{query}",
        environment=environment,
    )


def _title(each: Drifting) -> str:
    name, agent = code(each.agent.name), each.agent
    newest = code(f"{agent.newest.bundle} v{agent.newest.number}")
    match each.drift:
        case Drift.FOREIGN:
            return f"{name} runs an unassigned contract: {newest}"
        case Drift.BEHIND if agent.state is AgentState.SENT:
            return f"{name} is outdated: it runs {code(_name(agent))}"
        case Drift.BEHIND:
            return f"{name} is outdated: it runs {newest}"
        case Drift.UNKNOWN:
            return f"{name} runs an unknown contract"
        case Drift.STOP:
            return f"{name} hasn't stopped"


def _why(each: Drifting) -> str:
    agent = each.agent
    newest = f"{agent.newest.bundle} v{agent.newest.number}"
    match each.drift:
        case Drift.FOREIGN:
            return (
                f"It runs {newest} and is assigned {' or '.join(agent.assigned)}. Restart it"
                " without a contract name, or assign the one it runs. A key for assigned"
                " contracts only prevents this."
            )
        case Drift.BEHIND if agent.state is AgentState.SENT:
            return (
                f"It was sent {newest}, but its calls still run under {_name(agent)}. It may have"
                " rejected the new version. Check its log."
            )
        case Drift.BEHIND:
            return (
                f"It runs {newest}, v{agent.deployed} is deployed. Restart it, or keep a stream"
                " open to get deployments at once."
            )
        case Drift.UNKNOWN:
            return (
                f"Its calls name {_name(agent)}, which isn't saved here. It loads its contract from"
                " a file or from another console. Save that contract here, or point the agent"
                " at this console."
            )
        case Drift.STOP if agent.sent.blocks_all:
            return (
                f"The stop was sent, but its calls still run under {_name(agent)}. It may have"
                " rejected the document. Check its log, end its process or revoke its key."
            )
        case Drift.STOP:
            return (
                "Stop sent, not yet acknowledged. It will be when the agent next fetches its"
                " contract. Restart it, or revoke its key."
            )


def _name(agent: FleetAgent) -> str:
    runs = agent.reported
    return (
        f"{runs.bundle} v{runs.number}" if runs.is_known else f"the contract {runs.revision[:12]}"
    )
