"""State of an agent: the version it runs against its assignment and the deployments for it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from governance.alerts.queries import STOP_NOT_OBEYED
from governance.delivery.domain import is_stopped_by


class AgentState(StrEnum):
    CURRENT = "current"
    SENT = "sent"  # the newest document was sent to it; no call of it says so yet
    BEHIND = "behind"
    FOREIGN = "foreign"  # runs a bundle that it was not assigned
    STOPPED = "stopped"  # and has taken the stop
    STOPPING = "stopping"  # a stop stands; nothing says that it has taken it
    UNKNOWN = "unknown"  # it has not said what it runs, or something nobody deployed here


class Drift(StrEnum):
    """Reason why an agent needs attention."""

    FOREIGN = "agent_runs_foreign_bundle"
    BEHIND = "agent_behind_contract"
    UNKNOWN = "agent_runs_unknown_contract"
    STOP = STOP_NOT_OBEYED


# Between a stop and a call that shows it was not taken: clocks differ, and a call may be under way.
UNDER_WAY = timedelta(seconds=10)
LATE = timedelta(minutes=10)  # agents need a moment to take what is new
SEEN_WITHIN = timedelta(days=1)  # who is away for longer runs nothing

DRIFTS = frozenset({AgentState.BEHIND, AgentState.FOREIGN})
IS_STOPPED = frozenset({AgentState.STOPPED, AgentState.STOPPING})


@dataclass(frozen=True, slots=True)
class Runs:
    """A document by its hash, and the version that this is, if it is known."""

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
    """`reported` by its newest call, `sent` over the stream it holds now; either may be nothing.

    What is assigned may be several bundles, when rules ask for tags that only the agent knows. An
    agent may refuse what it was sent: a call since the stop, under another document, tells so.
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
        case AgentState.SENT:  # only its calls can tell whether it took what it was sent
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
    """Whether something still shows it that long after what ought to run was changed last."""
    return changed_at is None or shown_at >= changed_at + LATE


def _same(one: Runs, other: Runs) -> bool:
    return (one.bundle, one.number) == (other.bundle, other.number)
