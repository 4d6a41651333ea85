"""Artifacts in an object store behave as in a folder, and an outage changes no verdict."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from governance.alerts.queries import open_alerts
from governance.models import Project
from outcomes.artifacts.commands.artifacts import remove_unreferenced_artifacts
from outcomes.artifacts.commands.faults import find_faults
from outcomes.core import artifact_store
from outcomes.core.artifact_store import FrameReader
from outcomes.health import commands as readiness
from outcomes.models import Artifact, Batch, Call
from tests import buckets
from tests.builders import an_outcome
from tests.outcomes.pages import Pages
from tests.outcomes.posting import Agent, settle
from tests.outcomes.rejudging import reclassified
from tests.recount import differences

pytestmark = pytest.mark.slow
LINES = b"".join(b"line %d\n" % number for number in range(1, 100_001))
LARGE = "x" * 12_001


@pytest.fixture(autouse=True)
def line() -> Iterator[buckets.Line]:
    with buckets.Line() as line:
        yield line


@pytest.fixture(autouse=True)
def bucket(settings, tmp_path, line: buckets.Line) -> str:
    settings.DATA = tmp_path
    settings.ARTIFACTS = buckets.a_bucket(line.url)
    return str(settings.ARTIFACTS)


def upload(agent: Agent, content: bytes, media_type: str = "text/plain") -> str:
    response = agent.client.post("/v1/artifacts", content, content_type=media_type)
    assert response.status_code == 201, response.content
    return str(response.json()["artifact_id"])


def a_reference(name: str, call: str) -> dict[str, object]:
    return an_outcome(call, type="artifact_reference", artifact_id=name, summary="s")


def content_of(response: Iterable[bytes]) -> bytes:
    return b"".join(response)


def wait_for_store() -> None:
    """Wait until the pause after the last failure is over."""
    for _ in range(900):
        try:
            artifact_store.try_to_write()
        except OSError:
            time.sleep(0.1)
        else:
            break
    Batch.objects.filter(next_try_at__isnull=False).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )
    readiness.forget()


def test_an_upload_is_stored_in_the_bucket_and_can_be_read_in_parts(
    project: Project, agent: Agent, bucket
):
    name = upload(agent, LINES)
    assert buckets.keys_in(bucket) == [f"artifacts/{project.pk}/{name[:2]}/{name}"]
    ranged = agent.client.get(f"/v1/artifacts/{name}", headers={"Range": "bytes=262140-262150"})
    assert (ranged.status_code, content_of(ranged)) == (206, LINES[262_140:262_151])
    lines = agent.client.get(f"/v1/artifacts/{name}?lines=50000-50001")
    assert content_of(lines) == b"line 50000\nline 50001\n"
    assert content_of(agent.client.get(f"/v1/artifacts/{name}")) == LINES


def test_large_outputs_and_uploads_are_classified_by_their_content(agent: Agent, bucket):
    name = upload(agent, b'{"is_error": true}', "application/json")
    agent.post(
        a_reference(name, "uploaded"),
        *(
            an_outcome(f"c-{n}", output={"is_error": n % 2 == 0, "x": LARGE + str(n)})
            for n in range(20)
        ),
    )
    assert agent.outcome("uploaded")["verdict"] == "failure"
    verdicts = [agent.outcome(f"c-{number}")["verdict"] for number in range(20)]
    assert verdicts == ["failure", "success"] * 10
    assert len(buckets.keys_in(bucket)) == Artifact.objects.count() == 21
    before = {call["call_id"]: call["verdict"] for call in agent.outcomes()}
    assert reclassified(Project.objects.get()).status == "done"
    assert {call["call_id"]: call["verdict"] for call in agent.outcomes()} == before
    assert differences() == []


def test_pages_display_content_stored_in_the_bucket(agent: Agent, pages: Pages):
    agent.post(an_outcome("large", output=LARGE))
    name = agent.outcome("large")["artifact_id"]
    stored = artifact_store.stored_bytes(Project.objects.get().pk, name)
    assert f"{stored} B stored" in pages.text("artifacts/")
    assert "xxxxxxxx" in pages.text(f"artifacts/{name}/")


def test_unreferenced_artifacts_are_removed_from_the_bucket(agent: Agent, bucket):
    upload(agent, b"old")
    Artifact.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert remove_unreferenced_artifacts() == 1
    assert buckets.keys_in(bucket) == []


def test_an_unavailable_store_delays_dependent_batches_and_changes_no_verdict(
    project: Project, agent: Agent, line: buckets.Line
):
    name = upload(agent, b'{"is_error": true}', "application/json")
    line.mode = "cut"
    agent.door(json.dumps({"outcomes": [an_outcome("large", output=LARGE)]}).encode())
    agent.door(json.dumps({"outcomes": [a_reference(name, "refers")]}).encode())
    agent.door(json.dumps({"outcomes": [an_outcome("small")]}).encode())
    for _ in range(3):
        settle()
    assert set(Call.objects.values_list("call_id", flat=True)) == {"small"}
    assert set(Batch.objects.values_list("fault", flat=True)) == {"store"}
    assert {batch.error.partition(": ")[2] for batch in Batch.objects.all()} == {
        "it does not answer."
    }
    line.mode = "open"
    wait_for_store()
    settle()
    settle()
    assert not Batch.objects.exists()
    assert agent.outcome("refers")["verdict"] == "failure"
    assert differences() == []


def test_a_reclassification_skips_unreadable_outputs(
    project: Project, agent: Agent, line: buckets.Line
):
    agent.post(an_outcome("large", output={"is_error": True, "text": LARGE}))
    before = agent.outcome("large")
    line.mode = "cut"
    job = reclassified(project)
    assert (job.status, before["verdict"]) == ("failed", "failure")
    assert "keep their verdicts" in job.error
    line.mode = "open"
    assert agent.outcome("large") == before
    wait_for_store()
    assert reclassified(project).status == "done"
    assert agent.outcome("large")["verdict"] == "failure"


def test_uploads_and_reads_return_503_with_retry_after_during_an_outage(
    agent: Agent, pages: Pages, line: buckets.Line
):
    agent.post(an_outcome("large", output=LARGE))
    name = agent.outcome("large")["artifact_id"]
    line.mode = "cut"
    for response in (
        agent.client.post("/v1/artifacts", b"more", content_type="text/plain"),
        agent.client.get(f"/v1/artifacts/{name}"),
    ):
        assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
        assert response.headers["Retry-After"]
    for page in ("artifacts/", f"artifacts/{name}/", "calls/large/"):
        assert pages.get(page).status_code == 200
    assert "missing" not in pages.text("artifacts/")
    assert Artifact.objects.count() == 1


def test_a_missing_artifact_is_retried_until_it_is_back(agent: Agent, bucket):
    name = upload(agent, b'{"is_error": true}', "application/json")
    (key,) = buckets.keys_in(bucket)
    buckets.delete(bucket, key)
    agent.post(a_reference(name, "c"))
    assert Batch.objects.get().fault == "missing"
    upload(agent, b'{"is_error": true}', "application/json")
    wait_for_store()
    settle()
    assert agent.outcome("c")["verdict"] == "failure"


def test_a_store_outage_degrades_health_but_posts_are_accepted(
    project: Project, line: buckets.Line
):
    line.mode = "cut"
    body = Client().get("/v1/health").json()
    assert body["status"] == "degraded"
    assert body["artifacts"] == "The artifact store cannot be written: it does not answer."
    assert Client().get("/v1/health/ready").status_code == 200
    line.mode = "open"
    wait_for_store()
    assert Client().get("/v1/health").json()["artifacts"] == "ok"


def test_an_alert_is_open_during_a_store_outage(project: Project, line: buckets.Line):
    line.mode = "cut"
    find_faults()
    (alert,) = open_alerts(project)
    assert (alert.kind, alert.severity) == ("artifact_store_away", "error")
    assert "it does not answer" in alert.why
    line.mode = "open"
    wait_for_store()
    find_faults()
    assert list(open_alerts(project)) == []


def other_host(program: str, *arguments: str, data: Path, bucket: str) -> "Finished":
    """Run a process with its own data folder that shares only the bucket."""
    variables = {
        "DJANGO_SETTINGS_MODULE": "edictum_site.settings",
        "EDICTUM_SITE_DATA": str(data),
        "EDICTUM_SITE_ARTIFACTS": bucket,
        "EDICTUM_SITE_LOG_LEVEL": "ERROR",
    }
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)


Finished = subprocess.CompletedProcess[str]
OTHER_HOST = """
import sys, django
django.setup()
from outcomes.core import artifact_store
from outcomes.core.artifact_store import FrameReader
project, name = int(sys.argv[1]), sys.argv[2]
with artifact_store.Reader(project, name) as reader:
    sys.stdout.write(b"".join(reader.bytes_of(0, reader.size_bytes)).decode())
print(artifact_store.store(project, [b"by the other host"]).sha256, file=sys.stderr)
"""


def test_two_hosts_read_artifacts_stored_by_each_other(
    project: Project, agent: Agent, bucket, tmp_path: Path
):
    name = upload(agent, b"by this host")
    data = tmp_path / "other host"
    other = other_host(OTHER_HOST, str(project.pk), name, data=data, bucket=bucket)
    assert other.stdout == "by this host", other.stderr
    with artifact_store.Reader(project.pk, other.stderr.split()[-1]) as reader:
        assert b"".join(reader.bytes_of(0, 100)) == b"by the other host"
    assert len(buckets.keys_in(bucket)) == 2


DYING = """
import os, sys, django
django.setup()
from outcomes.core import artifact_store
from outcomes.core.artifact_store import FrameReader
def content():
    yield b"half" * 1_000_000
    os._exit(7)
artifact_store.store(int(sys.argv[1]), content())
"""


def test_a_host_that_dies_during_an_upload_leaves_nothing_behind(
    project: Project, bucket, tmp_path: Path
):
    """Its draft has no name on disk and no object in the bucket."""
    data = tmp_path / "other host"
    assert other_host(DYING, str(project.pk), data=data, bucket=bucket).returncode == 7
    assert buckets.keys_in(bucket) == []
    assert list((data / "uploads").iterdir()) == []


NOISE = hashlib.shake_128(b"seed").digest(3 * 1024 * 1024)


@pytest.mark.parametrize("ranged", ["bytes=1000-2000", "bytes=300000-1300000"])
def test_a_read_that_fails_after_the_index_was_read_returns_503(
    agent: Agent, line: buckets.Line, monkeypatch, ranged
):
    name = upload(agent, NOISE, "application/octet-stream")
    opened = FrameReader.__init__

    def open_and_cut(self, *arguments):
        opened(self, *arguments)
        line.mode = "cut"

    monkeypatch.setattr(FrameReader, "__init__", open_and_cut)
    response = agent.client.get(f"/v1/artifacts/{name}", headers={"Range": ranged})
    assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")


def test_a_download_from_a_page_returns_404_during_a_store_outage(
    agent: Agent, operators_pages: Pages, line: buckets.Line
):
    name = upload(agent, NOISE, "application/octet-stream")
    assert content_of(operators_pages.get(f"artifacts/{name}/raw")) == NOISE
    line.mode = "cut"
    assert operators_pages.get(f"artifacts/{name}/raw").status_code == 404
