"""Artifacts are stored once for equal content, read completely or in parts by keys whose calls
refer to them, and removed when unreferenced."""

import errno
import hashlib
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from governance.models import AuditEntry, Project
from outcomes.artifacts.commands.artifacts import remove_unreferenced_artifacts
from outcomes.core import artifact_store
from outcomes.core.artifact_store import MAGIC
from outcomes.models import Artifact, Call
from outcomes.settling import settle
from outcomes.settling.decode import read as read_claim
from tests import builders
from tests.builders import an_outcome
from tests.outcomes.posting import Agent

LINES = b"".join(b"line %d\n" % n for n in range(1, 100_001))  # several compressed frames
LARGE = "x" * 12_000


def path_of(project: Project, name: str) -> Path:
    return Path(settings.DATA) / "artifacts" / str(project.pk) / name[:2] / name


def upload(agent: Agent, content: bytes, media_type: str = "text/plain") -> dict[str, object]:
    response = agent.client.post("/v1/artifacts", content, content_type=media_type)
    assert response.status_code == 201
    body: dict[str, object] = response.json()
    return body


def read(agent: Agent, artifact: object, status: int = 200, lines: str = "", **headers: str):
    query = {"lines": lines} if lines else {}
    response = agent.client.get(f"/v1/artifacts/{artifact}", query, headers=headers)
    assert response.status_code == status, response.headers
    content = b"".join(response) if response.streaming else response.content
    return response, content


@pytest.mark.parametrize("content", [b"", b"\0\xff" * 1_000, LINES], ids=["empty", "bytes", "long"])
def test_an_upload_is_named_by_its_hash_and_read_back_completely(agent: Agent, content):
    uploaded = upload(agent, content, "application/octet-stream")
    sha256 = hashlib.sha256(content).hexdigest()
    assert uploaded == {"artifact_id": sha256, "sha256": sha256, "size_bytes": len(content)}
    response, result = read(agent, sha256)
    assert result == content
    assert response["Content-Length"] == str(len(content))
    assert response["Content-Type"] == "application/octet-stream"


def test_downloads_cannot_run_scripts_in_a_browser(agent: Agent):
    uploaded = upload(agent, b"<script>alert(1)</script>", "text/html")
    response, _ = read(agent, uploaded["artifact_id"])
    assert response["Content-Security-Policy"] == "sandbox"
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("byte_range", "part", "answered"),
    [
        ("bytes=0-4", slice(0, 5), "0-4"),
        ("bytes=262140-262150", slice(262_140, 262_151), "262140-262150"),
        (f"bytes={len(LINES) - 3}-", slice(-3, None), f"{len(LINES) - 3}-{len(LINES) - 1}"),
        ("bytes=-3", slice(-3, None), f"{len(LINES) - 3}-{len(LINES) - 1}"),
        ("bytes=0-99999999999", slice(None), f"0-{len(LINES) - 1}"),
    ],
)
def test_a_byte_range_can_be_read(agent: Agent, byte_range, part, answered):
    artifact = upload(agent, LINES)["artifact_id"]
    response, content = read(agent, artifact, 206, Range=byte_range)
    assert content == LINES[part]
    assert response["Content-Range"] == f"bytes {answered}/{len(LINES)}"


def test_a_range_beyond_the_end_is_rejected(agent: Agent):
    artifact = upload(agent, b"short")["artifact_id"]
    response, _ = read(agent, artifact, 416, Range="bytes=5-")
    assert response["Content-Range"] == "bytes */5"


@pytest.mark.parametrize("byte_range", ["bytes=4-2", "lines=1-2", "bytes=-", "bytes=0-1,3-4"])
def test_an_invalid_range_returns_everything(agent: Agent, byte_range):
    _, content = read(agent, upload(agent, b"short")["artifact_id"], Range=byte_range)
    assert content == b"short"


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [
        ("1-1", 1, 1),
        ("10-20", 10, 20),
        ("40000-60000", 40_000, 60_000),
        ("99999-200000", 99_999, 100_000),
    ],
)
def test_a_line_range_can_be_read(agent: Agent, lines, first, last):
    response, content = read(agent, upload(agent, LINES)["artifact_id"], lines=lines)
    assert content == b"".join(b"line %d\n" % n for n in range(first, last + 1))
    assert response["X-Edictum-Lines"].endswith("/100000")


@pytest.mark.parametrize("lines", ["0-1", "1", "a-b", "1-", "-1"])
def test_an_invalid_line_range_is_rejected(agent: Agent, lines):
    artifact = upload(agent, b"short")["artifact_id"]
    assert agent.client.get(f"/v1/artifacts/{artifact}?lines={lines}").status_code == 422


def test_a_reversed_line_range_is_rejected(agent: Agent):
    artifact = upload(agent, b"one\ntwo\nthree")["artifact_id"]
    response = agent.client.get(f"/v1/artifacts/{artifact}?lines=3-1")
    assert response.status_code == 422
    problem = response.json()["errors"][0]
    assert problem["path"] == "lines"
    assert problem["message"] == "the first line is after the last; write lines=10-20"


@pytest.mark.parametrize(("content", "number"), [(b"one\ntwo", 2), (b"one\ntwo\n", 2), (b"", 0)])
def test_a_line_range_that_starts_beyond_the_end_is_rejected(agent: Agent, content, number):
    artifact = upload(agent, content)["artifact_id"]
    response, body = read(agent, artifact, 416, lines=f"{number + 1}-9")
    assert (response["X-Edictum-Lines"], body) == (f"*/{number}", b"")


def test_a_line_range_that_ends_beyond_the_end_is_truncated(agent: Agent):
    response, content = read(agent, upload(agent, b"one\ntwo\nthree")["artifact_id"], lines="2-9")
    assert (response["X-Edictum-Lines"], content) == ("2-3/3", b"two\nthree")


def test_identical_content_is_stored_once(project: Project, agent: Agent):
    text = "x" * 20_000
    upload(agent, text.encode())
    agent.post(an_outcome("a", output=text), an_outcome("b", output=text))
    agent.post(an_outcome("c", output=text))
    artifact = Artifact.objects.get()
    assert Call.objects.filter(artifact=artifact).count() == 3
    assert path_of(project, artifact.sha256).exists()


def test_projects_do_not_share_content(agent: Agent):
    uploaded = upload(agent, b"theirs")
    other = Agent(builders.bearing(builders.a_key(builders.a_project(), "manage", "agent")[0]))
    read(other, uploaded["artifact_id"], 404)
    upload(other, b"theirs")
    assert Artifact.objects.count() == 2


def test_a_large_structured_output_is_stored_as_json(agent: Agent):
    agent.post(an_outcome("c", output={"text": LARGE, "é": [1, None, "\0"]}))
    response, content = read(agent, agent.outcome("c")["artifact_id"])
    assert response["Content-Type"] == "application/json"
    assert content.decode() == '{"text":"' + LARGE + '","é":[1,null,"\\u0000"]}'


def test_an_agent_key_can_read_artifacts_that_calls_of_its_environment_refer_to(
    project: Project, agent: Agent
):
    agent.post(an_outcome("c", output=LARGE))
    artifact = agent.outcome("c")["artifact_id"]
    here = Agent(builders.bearing(builders.a_key(project, "agent")[0]))
    elsewhere = Agent(builders.bearing(builders.a_key(project, "agent", env="staging")[0]))
    read(here, artifact)
    read(elsewhere, artifact, 404)
    elsewhere.post(an_outcome("c", type="artifact_reference", artifact_id=artifact))
    read(elsewhere, artifact)


def test_a_referenced_upload_is_classified_by_its_full_content(agent: Agent):
    uploaded = upload(agent, b'{"is_error": true}', "application/json")
    agent.post(
        an_outcome("c", type="artifact_reference", artifact_id=uploaded["artifact_id"], summary="s")
    )
    call = agent.outcome("c")
    assert (call["verdict"], call["checked"]) == ("failure", True)


def test_a_reference_without_a_size_has_the_size_of_the_stored_content(agent: Agent):
    name = upload(agent, LARGE.encode())["artifact_id"]
    agent.post(an_outcome("c", type="artifact_reference", artifact_id=name, session_id="s"))
    assert agent.outcome("c")["size_bytes"] == len(LARGE)
    assert [call["size_bytes"] for call in agent.outcomes()] == [len(LARGE)]
    assert agent.session("s")["artifacts"][0]["size_bytes"] == len(LARGE)


@pytest.mark.parametrize(
    "content",
    [
        b'{"is_error": "\\ud800"}',
        b'{"is_error": 1e999}',
        b'{"is_error": %s}' % (b"[" * 900 + b"]" * 900),
        b'{"is_error": "\xff"}',
    ],
    ids=["half a character", "beyond range", "900 levels", "no UTF-8"],
)
def test_an_upload_of_invalid_json_does_not_block_its_batch(agent: Agent, content):
    uploaded = upload(agent, content, "application/json")
    item = an_outcome("c", type="artifact_reference", artifact_id=uploaded["artifact_id"])
    agent.post(item, an_outcome("neighbour"))
    assert {call["call_id"] for call in agent.outcomes()} == {"c", "neighbour"}


def damage(project: Project, artifact: object, content: bytes) -> None:
    path_of(project, str(artifact)).write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"cut", b"\xff" * 100, b"\xff" * 24 + MAGIC])
def test_a_corrupt_file_is_404_and_does_not_block_its_batch(
    project: Project, agent: Agent, content
):
    sha256 = upload(agent, LINES)["sha256"]
    damage(project, sha256, content)
    read(agent, sha256, 404)
    item = an_outcome("c", type="artifact_reference", artifact_id=sha256)
    agent.post(item, an_outcome("neighbour"))
    call = agent.outcome("c")
    assert (call["checked"], call["verdict_reason"]) == (False, "The stored output is damaged.")


def test_a_corrupt_frame_is_not_checked(project: Project, agent: Agent):
    uploaded = upload(agent, LINES)
    name = str(uploaded["sha256"])
    path = path_of(project, name)
    path.write_bytes(b"\0" * 100 + path.read_bytes()[100:])
    agent.post(an_outcome("c", type="artifact_reference", artifact_id=name))
    assert agent.outcome("c")["checked"] is False
    read(agent, name, 404, lines="2-3")


def test_a_full_disk_returns_507(agent: Agent, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    response = agent.client.post("/v1/artifacts", b"more", content_type="text/plain")
    assert (response.status_code, response.json()["code"]) == (507, "disk_full")
    assert not Artifact.objects.exists()


def test_unreferenced_artifacts_are_removed_after_a_day(project: Project, agent: Agent):
    agent.post(an_outcome("c", output=LARGE))
    used = str(agent.outcome("c")["artifact_id"])
    young, old = (str(upload(agent, content)["sha256"]) for content in (b"young", b"old"))
    yesterday = timezone.now() - timedelta(hours=25)
    Artifact.objects.exclude(sha256=young).update(created_at=yesterday)
    assert remove_unreferenced_artifacts() == 1
    assert set(Artifact.objects.values_list("sha256", flat=True)) == {used, young}
    stored = {name: path_of(project, name).exists() for name in (used, young, old)}
    assert stored == {used: True, young: True, old: False}
    entry = AuditEntry.objects.get(action="unreferenced artifacts removed")
    assert entry.details == {"artifacts": 1, "bytes": 3}
    read(agent, old, 404)


def test_a_repeated_upload_lives_another_day(agent: Agent):
    upload(agent, b"again")
    Artifact.objects.update(created_at=timezone.now() - timedelta(hours=25))
    upload(agent, b"again")
    assert remove_unreferenced_artifacts() == 0


def test_an_output_whose_content_is_removed_during_processing_is_stored_again(
    project: Project, agent: Agent, monkeypatch
):
    readings: list[object] = []

    def read_and_lose(batches, ahead):
        reading = read_claim(batches, ahead)
        if not readings:  # as removing the last session that refers to it does
            path_of(project, hashlib.sha256(LARGE.encode()).hexdigest()).unlink()
        readings.append(reading)
        return reading

    monkeypatch.setattr(settle, "read", read_and_lose)
    agent.post(an_outcome("c", output=LARGE))
    _, content = read(agent, agent.outcome("c")["artifact_id"])
    assert content == LARGE.encode()
    assert len(readings) == 2


def test_an_upload_whose_content_is_removed_concurrently_is_not_acknowledged(
    project: Project, agent: Agent, monkeypatch
):
    store = artifact_store.store

    def store_and_lose(project_id, chunks):
        stored = store(project_id, chunks)
        artifact_store.remove(project_id, stored.sha256)
        return stored

    monkeypatch.setattr(artifact_store, "store", store_and_lose)
    response = agent.client.post("/v1/artifacts", b"again", content_type="text/plain")
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert not Artifact.objects.exists()


@pytest.mark.parametrize("name", ["..", "%2e%2e%2fsecret", "A" * 64, "0" * 63, "x" * 64])
def test_an_invalid_sha_256_is_404(agent: Agent, name):
    assert agent.client.get(f"/v1/artifacts/{name}").status_code == 404


def test_the_draft_of_a_killed_upload_is_removed_after_a_day(project, settings):
    def killed() -> Iterator[bytes]:
        yield b"half"
        os._exit(0)

    def drafts() -> list[Path]:
        return list((Path(settings.DATA) / "artifacts").glob("*/draft-*"))

    for _ in range(2):
        if os.fork() == 0:
            artifact_store.store(project.pk, killed())
        os.wait()
    old, _ = drafts()
    a_day_ago = time.time() - 25 * 3600
    os.utime(old, (a_day_ago, a_day_ago))
    remove_unreferenced_artifacts()
    assert len(drafts()) == 1
    assert not old.exists()
