"""Rollout state of one agent: calls report the version it runs, streams only what it was sent."""

import pytest

from outcomes.agents.domain.fleet import NOTHING, Runs
from outcomes.agents.domain.rollout import Taking, taking_of

OLD, NEW = Runs("a" * 64, "d", 1), Runs("b" * 64, "d", 2)
OTHER = Runs("c" * 64, "other", 2)


@pytest.mark.parametrize(
    ("reported", "sent", "taking"),
    [
        (NEW, NEW, Taking.RUNNING),
        (NEW, NOTHING, Taking.RUNNING),
        (OLD, NEW, Taking.SENT),
        (NOTHING, NEW, Taking.SENT),
        (OLD, NOTHING, Taking.WAITING),
        (OLD, OLD, Taking.WAITING),
        (NEW, OLD, Taking.WAITING),  # it was sent an older version since then
        (NOTHING, NOTHING, Taking.WAITING),
        (OTHER, NOTHING, Taking.WAITING),  # the same version number of another contract
    ],
)
def test_a_version_is_reported_by_a_call_and_sent_by_a_stream(reported, sent, taking):
    result = taking_of(reported=reported, sent=sent, bundle="d", number=2, is_stopped=False)
    assert result is taking


def test_a_stopped_agent_has_the_stopped_state():
    taking = taking_of(reported=NEW, sent=NEW, bundle="d", number=2, is_stopped=True)
    assert taking is Taking.STOPPED
