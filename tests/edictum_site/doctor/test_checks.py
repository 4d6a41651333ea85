"""Problems that the doctor reports, with advice for each."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from edictum_site.doctor import configuration, examination, stores, work
from edictum_site.doctor.examination import Check
from edictum_site.doctor.results import Result, State
from edictum_site.stack.private import make_private
from governance.audit_log import record
from governance.core.actor import CONSOLE
from governance.delivery.commands.signing import rotate_signing_key
from governance.models import AuditEntry
from outcomes.core import artifact_store
from outcomes.core.artifact_store.folder import DRAFT
from outcomes.ingest.commands import back_pressure
from outcomes.models import Artifact, Batch
from tests import builders
from tests.audit_triggers import dropped_triggers
from tests.outcomes.posting import Agent

pytestmark = pytest.mark.django_db
YESTERDAY_BEFORE = timedelta(days=2)


@pytest.fixture(autouse=True)
def data(settings, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def agent(project) -> Agent:
    return Agent(builders.bearing(builders.a_key(project, "ingest")[0]))


def post_one(agent: Agent) -> None:
    """Post an item without processing it."""
    agent.door(json.dumps({"outcomes": [builders.an_outcome()]}).encode())


def bad(check: Check) -> list[Result]:
    return [result for result in check() if result.state is not State.OK]


def the_problem(check: Check) -> Result:
    (result,) = bad(check)
    assert result.state is State.PROBLEM
    assert result.advice
    return result


def an_artifact(project, content: bytes = b"stored") -> Artifact:
    stored = artifact_store.store(project.pk, [content])
    return Artifact.objects.create(
        project=project, sha256=stored.sha256, size_bytes=len(content), media_type="text/plain",
        created_at=timezone.now(),
    )  # fmt: skip


def test_a_new_installation_has_no_problem_except_that_it_is_not_running(project, data):
    an_artifact(project)
    make_private(data)
    results = list(examination.examine())
    assert {each.check for each in results if each.state is not State.OK} == {"redis"}


def test_an_invalid_setting_is_also_reported_as_json():
    env = os.environ | {"EDICTUM_SITE_DISK_RESERVE": "much"}
    command = [sys.executable, "manage.py", "doctor", "--json"]
    ran = subprocess.run(command, cwd=configured.BASE, env=env, capture_output=True, check=False)
    (check,) = json.loads(ran.stdout)["checks"]
    assert ran.returncode == 1
    assert check["detail"] == "EDICTUM_SITE_DISK_RESERVE must be a whole number, not 'much'."


def test_conflicting_settings_are_reported(settings, monkeypatch):
    assert bad(configuration.configuration) == []
    settings.SITE_URL = "https://console.example"
    assert "EDICTUM_SITE_HTTPS=1" in the_problem(configuration.configuration).advice
    monkeypatch.setenv("EDICTUM_SITE_HTTPS", "1")
    (proxies,) = bad(configuration.configuration)
    assert "EDICTUM_SITE_PROXIES" in proxies.advice
    settings.SITE_URL, settings.DEBUG, settings.ALLOWED_HOSTS = "", True, ["*"]
    monkeypatch.setenv("HOST", "0.0.0.0")  # noqa: S104 - nothing is bound
    monkeypatch.setenv("EDICTUM_SITE_PROXIES", "10.0.0.7")
    advice = " ".join(each.advice for each in bad(configuration.configuration))
    for name in ("EDICTUM_SITE_DEBUG", "EDICTUM_SITE_HOSTS", "EDICTUM_SITE_URL"):
        assert name in advice


def test_files_readable_by_other_users_are_reported(data):
    (data / "artifacts").mkdir(mode=0o755)
    assert str(data / "artifacts") in the_problem(configuration.permissions).detail


def test_a_secret_key_that_cannot_decrypt_a_signing_key_is_a_problem(project, settings):
    rotate_signing_key(project, by=CONSOLE)
    assert bad(configuration.secret_key) == []
    settings.SECRET_KEY = "another" * 10
    assert project.slug in the_problem(configuration.secret_key).detail


def test_a_schema_from_a_different_version_is_a_problem(db):
    MigrationRecorder(connection).record_applied("outcomes", "9999_from_the_future")
    assert "9999_from_the_future" in the_problem(stores.readiness).detail


def test_a_full_inbox_is_a_problem(agent, settings):
    settings.INBOX_BYTES = 1
    post_one(agent)
    back_pressure.forget()  # drop the figures cached for half a second
    assert the_problem(stores.readiness).check == "inbox"


def test_an_artifact_store_that_is_not_writable_is_a_problem(data):
    (data / "artifacts").write_text("a file where the folder should be")
    assert the_problem(stores.readiness).check == "artifacts"


@pytest.mark.django_db(transaction=True)
def test_a_database_with_asynchronous_commits_is_a_problem():
    off, on, name = (
        ("SET synchronous_commit = off", "SET synchronous_commit = on", "synchronous_commit")
        if connection.vendor == "postgresql"
        else ("PRAGMA synchronous = OFF", "PRAGMA synchronous = FULL", "synchronous")
    )
    with connection.cursor() as cursor:
        cursor.execute(off)
        try:
            assert f"Set {name} to on." in the_problem(stores.durable).advice
        finally:
            cursor.execute(on)
    assert bad(stores.durable) == []


@pytest.mark.django_db(transaction=True)
def test_a_database_with_clock_skew_is_a_problem():
    connection.close()  # a new session has no prepared statement with the old clock
    make_clock_late()
    try:
        assert "differ by 90." in the_problem(stores.clocks).detail
    finally:
        make_clock_right()
    assert bad(stores.clocks) == []


def make_clock_late() -> None:
    """Move the clock of this session by 90 seconds."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # first in the search path
            cursor.execute("CREATE SCHEMA late")
            cursor.execute(
                "CREATE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql"
                " AS $$ SELECT pg_catalog.clock_timestamp() - interval '90 seconds' $$"
            )
            cursor.execute("SET search_path = late, pg_catalog, public")
        else:
            late = (timezone.now() - timedelta(seconds=90)).replace(tzinfo=None).isoformat()
            connection.connection.create_function("strftime", 2, lambda *_: late)


def make_clock_right() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("DROP SCHEMA late CASCADE")
    connection.close()


def test_a_full_disk_is_a_problem(settings):
    settings.DISK_RESERVE = 10**15
    assert {each.state for each in bad(stores.disks)} == {State.PROBLEM}


def test_artifacts_without_content_and_content_without_a_row_are_reported(project, data):
    artifact = an_artifact(project)
    assert bad(stores.lost_and_left) == []
    artifact_store.store(project.pk, [b"in no row"])
    draft = data / "artifacts" / str(project.pk) / f"{DRAFT}1"
    draft.write_bytes(b"half an upload")
    old = (timezone.now() - YESTERDAY_BEFORE).timestamp()
    os.utime(draft, (old, old))
    assert [each.check for each in bad(stores.lost_and_left)] == ["orphans", "orphans"]
    artifact_store.remove(project.pk, artifact.sha256)
    missing = bad(stores.lost_and_left)[0]
    assert missing.state is State.PROBLEM
    assert artifact.sha256 in missing.detail


def test_a_tampered_audit_log_is_a_problem(project):
    for subject in ("one", "two"):
        record(CONSOLE, "tried", subject, project=project)
    assert bad(work.audit_chain) == []
    with dropped_triggers():
        AuditEntry.objects.filter(project=project, subject="one").update(subject="three")
    assert "first at entry 1" in the_problem(work.audit_chain).detail


def test_a_backlog_is_a_warning_and_later_a_problem(agent):
    post_one(agent)
    assert bad(work.backlog) == []
    for minutes, state in ((2, State.WARNING), (20, State.PROBLEM)):
        Batch.objects.update(received_at=timezone.now() - timedelta(minutes=minutes))
        assert [each.state for each in bad(work.backlog)] == [state]


def test_failed_and_delayed_batches_are_reported(agent, project):
    post_one(agent)
    Batch.objects.update(fault="store", error="The artifact store cannot be used.")
    (waiting,) = bad(work.failed_batches)
    assert "The artifact store cannot be used." in waiting.detail
    Batch.objects.update(fault="", set_aside_at=timezone.now())
    assert "1 failed batches" in the_problem(work.failed_batches).detail


def test_a_check_that_cannot_run_is_a_problem(monkeypatch, settings, data):
    (data / "artifacts").mkdir(mode=0o700)
    monkeypatch.setattr(examination, "CHECKS", (stores.disks,))
    settings.DATA = data / "gone"
    (result,) = examination.examine()
    assert (result.check, result.state) == ("disks", State.PROBLEM)


def test_an_unreachable_broker_is_a_problem(settings, tmp_path):
    assert "no console is running" in the_problem(work.broker_and_workers).detail
    settings.REDIS_URL = f"unix://{tmp_path}/no.sock"
    assert "Redis does not answer" in the_problem(work.broker_and_workers).detail
