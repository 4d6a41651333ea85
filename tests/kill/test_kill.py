"""Killing every process three times during posts loses nothing and counts nothing twice."""

import pytest

from tests.databases import own_database
from tests.kill.drill import drill


@pytest.fixture
def store():
    with own_database() as variables:
        yield variables


def test_acknowledged_items_are_neither_lost_nor_counted_twice(store, tmp_path):
    report = drill(tmp_path / "data", store, items=6_000, kills=3, seed=12)
    assert report.problems == []
    assert set(report.kills.values()) == {3}
