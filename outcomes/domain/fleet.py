"""How an agent stands: what it runs, against what it is assigned and what is deployed for it."""

from dataclasses import dataclass
from enum import StrEnum

from governance.domain.stopped import is_stopped_by


class Standing(StrEnum):
    CURRENT = "current"
    SENT = "sent"  # the newest document was sent to it; no call of it says so yet
    BEHIND = "behind"
    FOREIGN = "foreign"  # runs a bundle that it was not assigned
    STOPPED = "stopped"  # and has taken the stop
    STOPPING = "stopping"  # a stop stands; nothing says that it has taken it
    UNKNOWN = "unknown"  # it has not said what it runs, or something nobody deployed here


DRIFTS = frozenset({Standing.BEHIND, Standing.FOREIGN})
IS_STOPPED = frozenset({Standing.STOPPED, Standing.STOPPING})


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


def standing_of(
    *, reported: Runs, sent: Runs, assigned: list[str], live: dict[str, int], is_stopped: bool
) -> Standing:
    """`reported` by its newest call, `sent` over the stream it holds now; either may be nothing.

    What is assigned may be several bundles, when rules ask for tags that only the agent knows.
    """
    if is_stopped:
        taken = reported.blocks_all or sent.blocks_all
        return Standing.STOPPED if taken else Standing.STOPPING
    newest = sent if sent.is_known else reported
    if not newest.is_known:
        return Standing.UNKNOWN
    if assigned and newest.bundle not in assigned:
        return Standing.FOREIGN
    deployed = live.get(newest.bundle)
    if deployed is None:
        return Standing.UNKNOWN
    if newest.number != deployed:
        return Standing.BEHIND
    is_told = not sent.is_known or not reported.revision or _same(sent, reported)
    return Standing.CURRENT if is_told else Standing.SENT


def _same(one: Runs, other: Runs) -> bool:
    return (one.bundle, one.number) == (other.bundle, other.number)
