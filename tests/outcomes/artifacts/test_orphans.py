"""Stored content without a row in the database is removed; nothing else is."""

from datetime import timedelta
from pathlib import Path

import pytest

from governance.models import Project
from outcomes.artifacts.commands.orphans import HOURS, beginnings_of, remove_orphans
from outcomes.artifacts.commands.places import claim_store
from outcomes.core import artifact_store
from outcomes.models import Artifact
from tests import buckets
from tests.builders import an_outcome
from tests.outcomes.posting import Agent

LARGE = "x" * 12_001


@pytest.fixture(autouse=True, params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, settings, tmp_path: Path) -> None:
    settings.DATA = tmp_path
    is_bucket = request.param == "bucket"
    settings.ARTIFACTS = buckets.a_bucket() if is_bucket else tmp_path.as_uri()


def remove_all(older_than: timedelta = timedelta()) -> int:
    return sum(remove_orphans(hour=hour, older_than=older_than) for hour in range(HOURS))


def stored() -> set[str]:
    return {name for _, name in artifact_store.stored_names()}


def test_orphans_are_removed_and_referenced_artifacts_remain(project: Project, agent: Agent):
    claim_store()
    agent.post(an_outcome("c", output=LARGE))
    orphan = artifact_store.store(project.pk, [b"rolled back"]).sha256
    nobodys = artifact_store.store(project.pk + 1_000, [b"of a removed project"]).sha256
    used = agent.outcome("c")["artifact_id"]
    assert stored() == {orphan, nobodys, used}
    assert remove_all(timedelta(hours=1)) == 0
    assert remove_all() == 2
    assert stored() == {used}
    assert Artifact.objects.count() == 1


def test_nothing_is_removed_from_a_store_without_our_mark(project: Project):
    artifact_store.store(project.pk, [b"whose?"])
    assert remove_all() == 0
    artifact_store.place().set_mark("another")
    assert remove_all() == 0
    assert len(stored()) == 1


def test_every_name_prefix_is_scanned_once_a_day():
    shares = [beginning for hour in range(HOURS) for beginning in beginnings_of(hour)]
    assert sorted(shares) == [f"{number:02x}" for number in range(256)]
