"""Every process killed three times while items are posted: nothing lost, nothing counted twice."""

import pytest

from tests.databases import own_database
from tests.kill.drill import drill


@pytest.fixture
def store():
    with own_database() as variables:
        yield variables


def test_nothing_acknowledged_is_lost_and_nothing_counted_twice(store, tmp_path):
    report = drill(tmp_path / "data", store, items=6_000, kills=3, seed=12)
    assert report.problems == []
    assert set(report.kills.values()) == {3}
