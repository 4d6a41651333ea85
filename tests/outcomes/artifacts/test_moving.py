"""Moving artifacts between stores: complete, verified and repeatable."""

import hashlib
import io
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from governance.models import Project
from outcomes.artifacts.commands import moving
from outcomes.core import artifact_store
from outcomes.core.artifact_store import place_named
from outcomes.models import Artifact
from tests import buckets
from tests.builders import an_outcome
from tests.outcomes.posting import Agent

LARGE = hashlib.shake_128(b"seed").digest(6 * 1024 * 1024)
SMALL = [b"artifact %d" % number for number in range(40)]


@pytest.fixture
def old(settings, tmp_path: Path) -> str:
    settings.DATA = tmp_path
    settings.ARTIFACTS = (tmp_path / "old").as_uri()
    return str(settings.ARTIFACTS)


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def new(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return buckets.a_bucket() if request.param == "bucket" else (tmp_path / "new").as_uri()


def move(new: str, *options: str) -> str:
    out = io.StringIO()
    call_command("artifacts", "move", "--to", new, *options, stdout=out)
    return out.getvalue()


def upload(agent: Agent, *contents: bytes) -> list[str]:
    names = []
    for content in contents:
        response = agent.client.post("/v1/artifacts", content, content_type="text/plain")
        names.append(str(response.json()["artifact_id"]))
    return names


def test_artifacts_can_be_moved_while_the_console_runs(agent: Agent, settings, old, new):
    names = upload(agent, *SMALL, LARGE)
    assert "Copied 41 artifacts" in (printed := move(new))
    assert "The database names 41 artifacts; 0 of them are missing" in printed
    late = upload(agent, b"after the first pass")
    settings.ARTIFACTS = new
    assert "Copied 1 artifacts" in (printed := move(new, "--from", old, "--verify"))
    assert "41 were there already" in printed
    for name, content in zip(names + late, [*SMALL, LARGE, b"after the first pass"], strict=True):
        assert b"".join(agent.client.get(f"/v1/artifacts/{name}")) == content
    agent.post(an_outcome("c", type="artifact_reference", artifact_id=names[0], summary="s"))
    assert agent.outcome("c")["checked"] is True
    assert "Deleted" in move(new, "--from", old, "--delete")
    assert list(place_named(old).entries()) == []
    assert len(list(place_named(new).entries())) == 42


def test_an_interrupted_move_resumes(agent: Agent, old, new):
    upload(agent, *SMALL)
    source, target = place_named(old), place_named(new)
    entries = list(source.entries())
    for entry in entries[:15]:  # as an earlier run would have done
        moving._copy_bytes(source, target, entry)
    printed = move(new)
    assert "Copied 25 artifacts" in printed
    assert "15 were there already" in printed


def test_a_damaged_artifact_is_reported_and_not_copied(agent: Agent, project: Project, old, new):
    (name, _) = upload(agent, b"damaged", b"fine")
    path = Path(old.removeprefix("file://")) / str(project.pk) / name[:2] / name
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(CommandError, match=rf"1 artifacts are damaged.*{name}"):
        move(new)
    assert [entry.sha256 == name for entry in place_named(new).entries()] == [False]


def test_verifying_recopies_a_corrupt_artifact(agent: Agent, project, old, tmp_path):
    new = (tmp_path / "new").as_uri()
    (name,) = upload(agent, b"fine")
    move(new)
    path = tmp_path / "new" / str(project.pk) / name[:2] / name
    path.write_bytes(b"x" * path.stat().st_size)
    assert "Copied 0" in move(new)
    assert "Copied 1" in move(new, "--verify")


def test_artifacts_missing_from_both_stores_are_reported(agent: Agent, project: Project, old, new):
    (name, _) = upload(agent, b"lost", b"fine")
    artifact_store.remove(project.pk, name)
    with pytest.raises(CommandError, match="Upload what is missing again"):
        move(new)
    assert Artifact.objects.count() == 2


def test_the_old_store_is_not_emptied_while_in_use(agent: Agent, old, new):
    upload(agent, b"fine")
    with pytest.raises(CommandError, match="Nothing was moved: --delete needs"):
        move(new, "--delete")
    assert len(list(place_named(old).entries())) == 1


def test_a_store_of_another_installation_is_not_written(agent: Agent, old, new):
    upload(agent, b"fine")
    place_named(new).set_mark("another")
    with pytest.raises(CommandError, match="belongs to another installation"):
        move(new)
    assert list(place_named(new).entries()) == []


@pytest.mark.parametrize("address", ["ftp://x", "s3://"])
def test_an_invalid_store_address_is_rejected(db, old, address):
    with pytest.raises(CommandError, match=r"^--to must"):
        move(address)


def test_a_store_cannot_be_moved_into_itself(db, old):
    with pytest.raises(CommandError, match="same store"):
        move(old)
