"""How a fleet and each of its agents stand, in words."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from outcomes.agents.domain.fleet import Standing
from outcomes.agents.queries.fleet import FleetAgent
from outcomes.web.sentences import number_word


class StandingWords(NamedTuple):
    icon: str
    word: str
    why: str
    is_trouble: bool


def standing_words(agent: FleetAgent) -> StandingWords:
    match agent.standing:
        case Standing.CURRENT:
            return StandingWords("success", "current", "", is_trouble=False)
        case Standing.SENT:
            why = f"v{agent.deployed} was sent, no call under it yet"
            return StandingWords("clock", "updating", why, is_trouble=False)
        case Standing.BEHIND:
            return StandingWords(
                "warning", "behind", f"deployed is v{agent.deployed}", is_trouble=True
            )
        case Standing.FOREIGN:
            why = f"runs a bundle it was not assigned; assigned is {assigned_words(agent)}"
            return StandingWords("warning", "not its bundle", why, is_trouble=True)
        case Standing.STOPPED:
            return StandingWords("stopped", "stopped", "it has taken the stop", is_trouble=False)
        case Standing.STOPPING:
            return StandingWords("stopped", "stop not taken", _until_when(agent), is_trouble=True)
        case Standing.UNKNOWN if agent.is_only_heard_of:
            return StandingWords("", "never called", "", is_trouble=False)
        case Standing.UNKNOWN:
            return StandingWords("", "not known", _why_unknown(agent), is_trouble=False)


def assigned_words(agent: FleetAgent) -> str:
    """All that its tags may bring it: only the agent knows those."""
    return " or ".join(agent.assigned)


def fleet_sentence(
    agents: Sequence[FleetAgent], *, environment: str, text: str, knows: bool
) -> str:
    if not agents:
        if text:
            return "No agent of that name."
        return f"No agent in {environment} yet." if environment else "No agent yet."
    connected = sum(each.streams > 0 for each in agents)
    who = "One agent" if len(agents) == 1 else f"{len(agents):,} agents"
    if not knows:
        now = "; who is connected is not known"
    elif len(agents) == 1:
        now = ", connected now" if connected else ", not connected"
    else:
        now = f", {_of_all(connected, len(agents))} connected now"
    return f"{who}{now}. {_drift(agents)}"


def _of_all(number: int, total: int) -> str:
    return "all" if number == total else number_word(number)


def _drift(agents: Sequence[FleetAgent]) -> str:
    numbers = Counter(each.standing for each in agents)
    told = []
    if foreign := numbers[Standing.FOREIGN]:
        told.append(
            f"{_some(foreign)} a bundle {'it was' if foreign == 1 else 'they were'} not assigned"
        )
    if behind := numbers[Standing.BEHIND]:
        told.append(f"{number_word(behind)} {_be(behind)} behind what is deployed")
    if taken := numbers[Standing.STOPPED]:
        told.append(f"{number_word(taken)} {_be(taken)} stopped")
    if late := numbers[Standing.STOPPING]:
        told.append(f"{number_word(late)} {'has' if late == 1 else 'have'} not taken a stop yet")
    if told:
        words = "; ".join(told)
        return f"{words[0].upper()}{words[1:]}."
    if silent := sum(each.is_only_heard_of for each in agents):
        if len(agents) == 1:
            return "It has never called a tool here."
        return f"{_some_have(silent)} never called a tool here."
    if unknown := numbers[Standing.UNKNOWN]:
        if len(agents) == 1:
            return "Which contract it runs is not known."
        which = "it runs" if unknown == 1 else "they run"
        return f"Of {number_word(unknown)} it is not known which contract {which}."
    return "It runs what is in force." if len(agents) == 1 else "Each runs what is in force."


def agent_sentence(name: str, agents: Sequence[FleetAgent]) -> str:
    """The same for one agent, in each environment that it was seen in."""
    if not agents:
        return f"{name} was not seen in the last 90 days."
    if len(agents) > 1:
        worst = next((each for each in agents if standing_words(each).is_trouble), None)
        seen = f"{name} runs in {number_word(len(agents))} environments"
        if worst is None:
            return f"{seen}, and stands well in each."
        words = standing_words(worst)
        return f"{seen}; in {worst.environment}: {words.word}."
    (agent,) = agents
    runs = agent.runs
    what = f"runs {runs.bundle} v{runs.number}" if runs.is_known else "does not say what it runs"
    match agent.standing:
        case Standing.CURRENT:
            return f"{name} {what}, which is current."
        case Standing.SENT:
            return f"{name} {what} and was sent v{agent.deployed}."
        case Standing.BEHIND:
            return f"{name} {what}, but v{agent.deployed} is deployed."
        case Standing.FOREIGN:
            return f"{name} {what}, but it is assigned {assigned_words(agent)}."
        case Standing.STOPPED:
            return f"{name} is stopped: every call is blocked."
        case Standing.STOPPING:
            return f"{name} is to stop, and has not taken the stop yet."
        case Standing.UNKNOWN if agent.is_only_heard_of:
            return f"{name} has never called a tool here."
        case Standing.UNKNOWN:
            return f"{name}: which contract it runs is not known."


def _until_when(agent: FleetAgent) -> str:
    if agent.sent.blocks_all:
        return "it was sent the stop, and has called tools since: end its process"
    if agent.streams:
        return "connected, and nothing says yet that it has taken it"
    return "not connected: it takes the stop when it next asks for its document"


def _why_unknown(agent: FleetAgent) -> str:
    runs = agent.runs
    if runs.blocks_all:
        return "its newest call was still under a stop that is lifted"
    if runs.is_known:
        return f"{runs.bundle} is not deployed in {agent.environment}"
    if runs.revision:
        return "what it runs was never stored here"
    return "its calls name no contract"


def _some(number: int) -> str:
    return f"{number_word(number)} {'runs' if number == 1 else 'run'}"


def _some_have(number: int) -> str:
    words = f"{number_word(number)} {'has' if number == 1 else 'have'}"
    return f"{words[0].upper()}{words[1:]}"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"
