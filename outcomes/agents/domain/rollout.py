"""Rollout state of a version on an agent, by its newest call and by what its stream was sent."""

from enum import StrEnum

from outcomes.agents.domain.fleet import Runs


class Taking(StrEnum):
    RUNNING = "taken"  # the newest call ran under this version
    SENT = "sent"  # sent over the stream; the newest call didn't run under it
    WAITING = "waiting"  # no sign that the agent has it
    STOPPED = "stopped"  # a stop replaces the version


def taking_of(*, reported: Runs, sent: Runs, bundle: str, number: int, is_stopped: bool) -> Taking:
    """Rollout state of an agent: its stream shows the version sent, its calls the version run."""
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
