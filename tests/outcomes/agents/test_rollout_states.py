"""Whether an agent has taken a version: only a call tells, a stream tells what it was sent."""

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
        (NEW, OLD, Taking.WAITING),  # it was sent an older one since
        (NOTHING, NOTHING, Taking.WAITING),
        (OTHER, NOTHING, Taking.WAITING),  # the same number of another bundle
    ],
)
def test_a_version_is_reported_by_a_call_and_sent_by_a_stream(reported, sent, taking):
    result = taking_of(reported=reported, sent=sent, bundle="d", number=2, is_stopped=False)
    assert result is taking


def test_who_is_stopped_has_the_stop_in_its_place():
    taking = taking_of(reported=NEW, sent=NEW, bundle="d", number=2, is_stopped=True)
    assert taking is Taking.STOPPED
