"""Faults of the host, such as a full disk or a missing folder, cost no batch a try and no call its
verdict: only what needs the store waits."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from governance.alerts.queries import open_alerts
from governance.models import Project
from outcomes.artifacts.commands.artifacts import remove_unreferenced_artifacts
from outcomes.artifacts.commands.faults import find_faults
from outcomes.jobs import commands as jobs
from outcomes.models import Artifact, Batch, Call, Rejudging
from outcomes.models.inbox import TRIES
from outcomes.reclassification.commands.jobs import start_reclassification
from outcomes.reclassification.commands.parts import run_part
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.settling.settle import settle_inbox
from outcomes.suggestions.commands.scans import request_scan, request_scans
from tests.builders import an_outcome
from tests.outcomes.backtests import EDITOR
from tests.outcomes.pages import Pages
from tests.outcomes.posting import Agent, settle
from tests.outcomes.rejudging import reclassified, tried
from tests.outcomes.waiting_jobs import run_waiting_looks, run_waiting_parts, waiting_parts
from tests.recount import differences

LARGE = "x" * 12_001


@pytest.fixture(autouse=True)
def data(settings, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    return tmp_path


@contextmanager
def store_away(data: Path) -> Iterator[None]:
    """Replace the artifact folder by a file, so that not even root can use it."""
    folder, elsewhere = data / "artifacts", data / "artifacts.elsewhere"
    if folder.exists():
        folder.rename(elsewhere)
    folder.write_bytes(b"")
    try:
        yield
    finally:
        folder.unlink()
        if elsewhere.exists():
            elsewhere.rename(folder)


@contextmanager
def other_host(data: Path) -> Iterator[None]:
    """Replace the artifact folder by another one that is not shared."""
    folder, elsewhere = data / "artifacts", data / "artifacts.elsewhere"
    folder.rename(elsewhere)
    folder.mkdir()
    try:
        yield
    finally:
        shutil.rmtree(folder)
        elsewhere.rename(folder)


def post(agent: Agent, *items: dict[str, object]) -> int:
    return int(agent.door(json.dumps({"outcomes": items}).encode())["batch"])


def let_time_pass() -> None:
    Batch.objects.filter(next_try_at__isnull=False).update(
        next_try_at=timezone.now() - timedelta(seconds=1)
    )


def retry_often() -> None:
    for _ in range(2 * TRIES):
        settle()
        let_time_pass()
    settle()


def names() -> set[str]:
    return set(Call.objects.values_list("call_id", flat=True))


def a_reference(agent: Agent, call_id: str, content: bytes) -> dict[str, object]:
    body = agent.client.post("/v1/artifacts", content, content_type="application/json").json()
    return an_outcome(call_id, type="artifact_reference", artifact_id=body["artifact_id"])


def kinds(project: Project) -> list[str]:
    return [each.kind for each in open_alerts(project)]


def test_a_batch_waits_while_the_artifact_store_cannot_be_written(project, agent: Agent, data):
    with store_away(data):
        large = post(agent, an_outcome("large", output=LARGE))
        post(agent, an_outcome("small"))
        retry_often()
        assert names() == {"small"}
        batch = Batch.objects.get()
        assert (batch.pk, batch.set_aside_at, batch.fault) == (large, None, "store")
        assert "The artifact store cannot be used" in batch.error
        assert agent.get("outcomes", wait=0)["settled"] is False
    let_time_pass()
    settle()
    assert names() == {"small", "large"}
    assert agent.get("outcomes", wait=1)["settled"] is True
    assert agent.outcome("large")["checked"] is True
    assert differences() == []


def test_one_batch_probes_the_store_and_all_are_processed_once_it_is_back(agent: Agent, data):
    with store_away(data):
        for number in range(5):
            post(agent, an_outcome(f"large {number}", output=LARGE + str(number)))
            settle()
        let_time_pass()
        before = dict(Batch.objects.values_list("id", "tries"))
        settle_inbox()
        after = dict(Batch.objects.values_list("id", "tries"))
        assert sum(after.values()) == sum(before.values()) + 1
        assert not Batch.objects.filter(next_try_at__lte=timezone.now()).exists()
    Batch.objects.filter(pk=min(after)).update(next_try_at=timezone.now() - timedelta(seconds=1))
    settle()
    assert not Batch.objects.exists()
    assert len(names()) == 5


def test_retry_pauses_grow_up_to_half_a_minute(agent: Agent, data):
    post(agent, an_outcome("large", output=LARGE))
    with store_away(data):
        for pause in (1, 2, 4, 8, 16, 30, 30):
            before = timezone.now()
            settle()
            waits = Batch.objects.get().next_try_at
            assert waits is not None
            assert before + timedelta(seconds=pause) <= waits
            assert waits <= timezone.now() + timedelta(seconds=pause)
            let_time_pass()


def test_only_an_invalid_batch_is_set_aside_during_a_store_fault(agent: Agent, data):
    with store_away(data):
        large = post(agent, an_outcome("large", output=LARGE))
        bad = post(agent, an_outcome("bad"))
        Batch.objects.filter(pk=bad).update(body=b"rubbish")
        retry_often()
        assert list(Batch.objects.exclude(set_aside_at=None).values_list("pk", flat=True)) == [bad]
    # An earlier fault does not count as a try.
    Batch.objects.filter(pk=large).update(body=b"rubbish")
    let_time_pass()
    settle()
    row = Batch.objects.get(pk=large)
    assert (row.tries, row.set_aside_at, row.fault) == (1, None, "")


def test_an_artifact_missing_on_this_host_does_not_change_a_verdict(project, agent: Agent, data):
    reference = a_reference(agent, "c", b'{"is_error": true}')
    with other_host(data):
        post(agent, reference)
        retry_often()
        assert names() == set()
        assert Batch.objects.get().fault == "missing"
        find_faults()
        assert kinds(project) == ["artifact_missing"]
    let_time_pass()
    settle()
    assert agent.outcome("c")["verdict"] == "failure"
    find_faults()
    assert kinds(project) == []


def test_a_missing_artifact_delays_only_the_batches_that_need_it(agent: Agent, data):
    lost = a_reference(agent, "lost", b'"lost"')
    reference = a_reference(agent, "kept", b'"kept"')
    sha256 = str(lost["artifact_id"])
    next((data / "artifacts").rglob(sha256)).unlink()
    post(agent, lost)
    post(agent, reference)
    post(agent, an_outcome("large", output=LARGE))
    retry_often()
    assert names() == {"kept", "large"}
    # Uploading the same content again repairs it.
    a_reference(agent, "lost", b'"lost"')
    let_time_pass()
    settle()
    assert names() == {"kept", "large", "lost"}


def test_an_artifact_needed_by_a_queued_batch_is_not_removed(agent: Agent, data):
    reference = a_reference(agent, "c", b'"early"')
    with other_host(data):
        post(agent, reference)
        settle()
        days = timezone.now() - timedelta(days=3)
        Artifact.objects.update(created_at=days - timedelta(hours=1))
        Batch.objects.update(received_at=days)
        assert remove_unreferenced_artifacts() == 0
    let_time_pass()
    settle()
    assert remove_unreferenced_artifacts() == 0
    assert names() == {"c"}


def test_a_fault_opens_an_alert_that_resolves_when_it_ends(project, agent: Agent, data):
    with store_away(data):
        post(agent, an_outcome("large", output=LARGE))
        settle()
        find_faults()
        find_faults()
        (finding,) = open_alerts(project)
        assert finding.kind == "artifact_store_away"
        assert "Not a directory" in finding.why
    let_time_pass()
    settle()
    find_faults()
    assert kinds(project) == []


def test_the_backlog_page_names_the_fault(project, agent: Agent, pages: Pages, data):
    with store_away(data):
        post(agent, an_outcome("large", output=LARGE))
        settle()
        page = pages.get("settings/failed-batches/").content.decode()
        assert "Waiting for the host" in page
        assert "Not a directory" in page


def test_a_reclassification_resumes_when_the_store_is_back(project, agent: Agent, data):
    agent.post(an_outcome("large", output={"is_error": True, "text": LARGE}), an_outcome("small"))
    before = agent.outcome("large")
    start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
    with store_away(data):
        for _ in range(jobs.TRIES + 1):  # more often than a job may lose its process
            for part in waiting_parts():
                run_part(part)
        assert Rejudging.objects.get().status == "running"
    run_waiting_parts()
    job = Rejudging.objects.get()
    assert (job.status, job.error, job.passed) == ("done", "", 2)
    assert agent.outcome("large") == before
    assert differences() == []


@pytest.mark.parametrize("away", [store_away, other_host])
def test_a_reclassification_does_not_change_verdicts_of_unreadable_outputs(
    project, agent: Agent, data, away
):
    agent.post(an_outcome("large", output={"is_error": True, "text": LARGE}), an_outcome("small"))
    agent.post(an_outcome("another", output={"is_error": True, "text": LARGE + "y"}))
    before = agent.outcome("large")
    with away(data):
        job = reclassified(project)
        assert job.status == "failed"
        assert "keep their verdicts" in job.error
        # One reason for all artifacts, so that the size of the result is bounded.
        not_checked = job.result["flips"]["not_checked"]
        assert not_checked.pop("The stored output cannot be read at the moment.") == 2
        assert not_checked.keys() <= {"No result was reported."}
        assert agent.outcome("large") == before
        assert tried(project).status == "failed"
    assert before["verdict"] == "failure"
    assert differences() == []
    assert reclassified(project).status == "done"


def test_suggestions_are_unchanged_while_outputs_cannot_be_read(project, agent: Agent, data):
    agent.post(*(an_outcome(f"c-{n}", output={"ok": False, "x": LARGE}) for n in range(30)))
    request_scan(project.pk)
    run_waiting_looks()
    before = agent.get("success-check-suggestions")
    agent.post(an_outcome("another", output={"ok": False, "x": LARGE}))
    with store_away(data):
        request_scan(project.pk)
        run_waiting_looks()
        assert agent.get("success-check-suggestions") == before
    request_scans()
    run_waiting_looks()
    assert agent.get("success-check-suggestions") != before


@pytest.mark.parametrize("away", [store_away, other_host])
def test_an_artifact_that_cannot_be_read_gets_503_with_retry_after(agent: Agent, data, away):
    name = a_reference(agent, "c", b'"here"')["artifact_id"]
    with away(data):
        response = agent.client.get(f"/v1/artifacts/{name}")
        assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
        assert response.headers["Retry-After"]


def test_an_upload_that_cannot_be_written_gets_503_with_retry_after(agent: Agent, data):
    with store_away(data):
        response = agent.client.post("/v1/artifacts", b"more", content_type="text/plain")
        assert (response.status_code, response.json()["code"]) == (503, "store_unavailable")
        assert response.headers["Retry-After"]
    assert not Artifact.objects.exists()


def test_artifact_pages_do_not_fail_while_the_store_is_unavailable(
    agent: Agent, pages: Pages, data
):
    agent.post(an_outcome("large", output=LARGE))
    name = agent.outcome("large")["artifact_id"]
    with store_away(data):
        assert pages.get(f"artifacts/{name}/").status_code == 200
        assert pages.get("artifacts/").status_code == 200
        assert pages.get("calls/large/").status_code == 200
