"""Conditions under which no page reads from a replica."""

import pytest

from outcomes.database.reading import NEVER, ReplicaState


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        (ReplicaState(is_standby=True, position=1, behind=59.0), ""),
        (ReplicaState(is_standby=True, position=1, behind=75.0), "The replica is 75 s behind."),
        (
            ReplicaState(is_standby=True, position=0, behind=NEVER),
            "The replica has replayed nothing yet.",
        ),
        (
            ReplicaState(is_standby=False, position=1, behind=0.0),
            "The replica is not a standby of this database.",
        ),
    ],
)
def test_only_an_up_to_date_standby_is_used_as_a_replica(settings, state, fault):
    settings.REPLICA_LAG = 60
    assert state.fault == fault
