"""Labels for states of agents, and headlines of their pages."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from governance.core.figures import counted, percent
from outcomes.agents.domain.fleet import AgentState
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.core.scope import Scope
from outcomes.figures.domain.figures import Figures
from outcomes.figures.queries.doubt import Doubt
from outcomes.figures.words import success_words, suspected_words


class StateWords(NamedTuple):
    icon: str
    word: str
    why: str
    is_trouble: bool


def state_words(agent: FleetAgent) -> StateWords:
    match agent.state:
        case AgentState.CURRENT:
            return StateWords("success", "up to date", "", is_trouble=False)
        case AgentState.SENT:
            why = f"v{agent.deployed} sent, not used by a call yet"
            return StateWords("clock", "updating", why, is_trouble=False)
        case AgentState.BEHIND:
            return StateWords(
                "warning", "outdated", f"v{agent.deployed} is deployed", is_trouble=True
            )
        case AgentState.FOREIGN:
            why = f"assigned: {assigned_words(agent)}"
            return StateWords("warning", "wrong contract", why, is_trouble=True)
        case AgentState.STOPPED:
            return StateWords("stopped", "stopped", "stop confirmed", is_trouble=False)
        case AgentState.STOPPING:
            return StateWords("stopped", "stop not confirmed", _stop_words(agent), is_trouble=True)
        case AgentState.UNKNOWN if agent.is_only_heard_of:
            return StateWords("", "no calls yet", "", is_trouble=False)
        case AgentState.UNKNOWN:
            return StateWords("", "unknown", _why_unknown(agent), is_trouble=False)


def assigned_words(agent: FleetAgent) -> str:
    """Contracts that the agent's tags may select; only the agent knows its tags."""
    return " or ".join(agent.assigned)


# Worst state first, each with the text for a number of agents in it.
_FLEET_WORDS = {
    AgentState.STOPPING: "{} with an unconfirmed stop",
    AgentState.FOREIGN: "{} on the wrong contract",
    AgentState.BEHIND: "{} outdated",
    AgentState.STOPPED: "{} stopped",
}


def fleet_sentence(
    agents: Sequence[FleetAgent], doubt: Doubt, *, environment: str, text: str, knows: bool
) -> str:
    """Headline of the list of agents, such as: 2 of 14 agents outdated, 12 connected"""
    if not agents:
        if text:
            return "No matching agent"
        return f"No agents in {environment} yet" if environment else "No agents yet"
    connected = sum(each.streams > 0 for each in agents)
    now = f"{connected:,} connected" if knows else "connections unknown"
    parts = [_worst_state(agents), now]
    if doubt:
        parts.append(f"{counted(len(doubt), 'output')} in doubt")
    return ", ".join(parts)


def _worst_state(agents: Sequence[FleetAgent]) -> str:
    states = Counter(each.state for each in agents)
    of = counted(len(agents), "agent")
    for state, words in _FLEET_WORDS.items():
        if number := states[state]:
            return words.format(f"{number:,} of {of}")
    if silent := sum(each.is_only_heard_of for each in agents):
        return f"{silent:,} of {of} without calls"
    if unknown := states[AgentState.UNKNOWN]:
        return f"{unknown:,} of {of} with an unknown contract"
    return f"{of}, up to date" if len(agents) == 1 else f"{of}, all up to date"


def agent_sentence(
    name: str,
    agents: Sequence[FleetAgent],
    now: Figures,
    before: Figures,
    doubt: Doubt,
    scope: Scope,
    early: int,
) -> SafeString:
    """Headline of one agent, the worst fact first: its state, outputs in doubt, or its success."""
    agent = format_html("<code>{}</code>", name)
    if not agents:
        return format_html("{} not seen in the last 90 days", agent)
    if trouble := next((each for each in agents if state_words(each).is_trouble), None):
        return format_html("{} {}", agent, _trouble(trouble, is_only=len(agents) == 1))
    if all(each.is_stopped for each in agents):
        return format_html("{} is stopped, every call is blocked", agent)
    if not now:
        never = all(each.is_only_heard_of for each in agents)
        return format_html("{} {}", agent, "has no calls yet" if never else _no_calls(scope))
    if doubt:
        return suspected_words(doubt, now, name)
    if not now.judged:
        return format_html("{}: {}", agent, counted(now.calls, "call"))
    if now.bounds and before.bounds and now.bounds[1] < before.bounds[0]:
        rates = percent(now.rate), percent(before.rate)
        return format_html("{} success down to {} from {}", agent, *rates)
    if early:
        sessions = f"{counted(early, 'session')} hit a limit early"
        return format_html("{}: {}, {}", agent, sessions, success_words(now))
    return format_html("{}: {}", agent, success_words(now))


def _no_calls(scope: Scope) -> str:
    return f"made no calls {scope.in_words}"


def _trouble(agent: FleetAgent, *, is_only: bool) -> str:
    words, runs = state_words(agent), agent.newest
    where = "" if is_only else f" in {agent.environment}"
    if agent.state is AgentState.BEHIND:
        return f"runs {runs.bundle} v{runs.number}{where}, v{agent.deployed} is deployed"
    if agent.state is AgentState.FOREIGN:
        return f"runs {runs.bundle}{where}, but is assigned {assigned_words(agent)}"
    return f"has not confirmed its stop{where}, {words.why}"


def agent_second_sentence(
    headline: str, agents: Sequence[FleetAgent], now: Figures, doubt: Doubt
) -> str:
    """Facts not in the headline, such as: Up to date · 95.2 % of 400 calls succeeded · 12 denied"""
    words = {state_words(each).word for each in agents}
    parts = [words.pop().capitalize()] if len(words) == 1 else []
    if now.judged and success_words(now) not in headline:
        parts.append(success_words(now, len(doubt)).rstrip("."))
    if now.denied:
        parts.append(f"{now.denied:,} denied")
    return " · ".join(parts)


def _stop_words(agent: FleetAgent) -> str:
    if agent.sent.blocks_all:
        return "it was sent, and tools were called since: end the process"
    if agent.streams:
        return "connected, not acknowledged yet"
    return "not connected, applies when it next fetches its contract"


def _why_unknown(agent: FleetAgent) -> str:
    runs = agent.runs
    if runs.blocks_all:
        return "its last call was under a stop that has been lifted"
    if runs.is_known:
        return f"{runs.bundle} is not deployed in {agent.environment}"
    if runs.revision:
        return "its version is not stored here"
    return "its calls don't name a contract"
