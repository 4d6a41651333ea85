"""Whether an agent has taken a version: by its newest call, and by what its stream was sent."""

from enum import StrEnum

from outcomes.agents.domain.fleet import Runs


class Taking(StrEnum):
    RUNNING = "taken"  # its newest call ran under it, or its stream was sent it and nothing since
    SENT = "sent"  # its stream was sent it; its newest call still ran under another
    WAITING = "waiting"  # nothing says that it has it
    STOPPED = "stopped"  # a stop is in the version's place


def taking_of(*, reported: Runs, sent: Runs, bundle: str, number: int, is_stopped: bool) -> Taking:
    """Rollout state of an agent: its stream shows what was sent, its calls show what it runs."""
    if is_stopped:
        return Taking.STOPPED
    has_called = _is(reported, bundle, number)
    if sent.is_known:
        if not _is(sent, bundle, number):
            return Taking.WAITING
        return Taking.RUNNING if has_called else Taking.SENT
    return Taking.RUNNING if has_called else Taking.WAITING


def _is(runs: Runs, bundle: str, number: int) -> bool:
    return (runs.bundle, runs.number) == (bundle, number)
