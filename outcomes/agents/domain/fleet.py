"""State of an agent: the version it runs, compared with its assignment and its deployments."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from governance.alerts.queries import STOP_NOT_OBEYED
from governance.delivery.domain import is_stopped_by


class AgentState(StrEnum):
    CURRENT = "current"
    SENT = "sent"  # the newest document was sent; no call has confirmed it yet
    BEHIND = "behind"
    FOREIGN = "foreign"  # runs a contract that is not assigned to it
    STOPPED = "stopped"  # has acknowledged a stop
    STOPPING = "stopping"  # stop sent, not yet acknowledged
    UNKNOWN = "unknown"  # reported no contract, or one that was never deployed here


class Drift(StrEnum):
    """Reason why an agent needs attention."""

    FOREIGN = "agent_runs_foreign_bundle"
    BEHIND = "agent_behind_contract"
    UNKNOWN = "agent_runs_unknown_contract"
    STOP = STOP_NOT_OBEYED


# A call this soon after a stop doesn't show that it was ignored: clocks differ, and the call may
# have been in flight.
UNDER_WAY = timedelta(seconds=10)
LATE = timedelta(minutes=10)  # agents need some time to load a new version
SEEN_WITHIN = timedelta(days=1)  # agents not seen for longer are not running

DRIFTS = frozenset({AgentState.BEHIND, AgentState.FOREIGN})
IS_STOPPED = frozenset({AgentState.STOPPED, AgentState.STOPPING})


@dataclass(frozen=True, slots=True)
class Runs:
    """A contract document by its hash, and its version if known."""

    revision: str = ""
    bundle: str = ""
    number: int = 0

    @property
    def blocks_all(self) -> bool:
        return is_stopped_by(self.revision)

    @property
    def is_known(self) -> bool:
        return bool(self.bundle)


NOTHING = Runs()


def agent_state(
    *,
    reported: Runs,
    sent: Runs,
    assigned: list[str],
    live: dict[str, int],
    is_stopped: bool,
    has_called_since: bool = False,
) -> AgentState:
    """State of an agent. `reported` is from its newest call, `sent` from its current stream; either
    may be unknown.

    Several contracts may be assigned, as some rules depend on tags that only the agent knows. An
    agent may reject a stop: a call under another document after the stop shows that.
    """
    if is_stopped:
        has_refused = has_called_since and bool(reported.revision)
        has_stopped = reported.blocks_all or (sent.blocks_all and not has_refused)
        return AgentState.STOPPED if has_stopped else AgentState.STOPPING
    newest = sent if sent.is_known else reported
    if not newest.is_known:
        return AgentState.UNKNOWN
    if assigned and newest.bundle not in assigned:
        return AgentState.FOREIGN
    deployed = live.get(newest.bundle)
    if deployed is None:
        return AgentState.UNKNOWN
    if newest.number != deployed:
        return AgentState.BEHIND
    is_confirmed = not sent.is_known or not reported.revision or _same(sent, reported)
    return AgentState.CURRENT if is_confirmed else AgentState.SENT


def drift_of(state: AgentState, *, reported: Runs, sent: Runs) -> Drift | None:
    match state:
        case AgentState.FOREIGN:
            return Drift.FOREIGN
        case AgentState.BEHIND:
            return Drift.BEHIND
        case AgentState.SENT:  # only calls show whether the agent loaded what it was sent
            return Drift.BEHIND if reported.bundle == sent.bundle else None
        case AgentState.STOPPING:
            return Drift.STOP
        case AgentState.UNKNOWN:
            strange = reported.revision and not reported.is_known and not reported.blocks_all
            return Drift.UNKNOWN if strange else None
        case AgentState.CURRENT | AgentState.STOPPED:
            return None


def is_seen(shown_at: datetime, now: datetime) -> bool:
    return shown_at >= now - SEEN_WITHIN


def is_late(shown_at: datetime, changed_at: datetime | None) -> bool:
    """Whether the wrong version was still seen LATE after the expected one last changed."""
    return changed_at is None or shown_at >= changed_at + LATE


def _same(one: Runs, other: Runs) -> bool:
    return (one.bundle, one.number) == (other.bundle, other.number)
