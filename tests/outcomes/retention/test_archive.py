"""The archive: one file per day, verified before any removal and readable with DuckDB alone."""

import hashlib
import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import duckdb
import pytest
from django.core.management import CommandError, call_command

from governance.core.actor import CONSOLE
from outcomes.core.moments import micros_of
from outcomes.models import ArchivedDay, Call, Event
from outcomes.retention.commands import archive, runs
from outcomes.retention.commands.archive import archive_due, removable_before
from tests import buckets, builders
from tests.docs.blocks import blocks_of
from tests.items import an_event
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.retention.later import carried_out, days_later

ONE_DAY = timedelta(days=1)


@pytest.fixture
def folder(tmp_path, settings):
    settings.ARCHIVE = str(tmp_path / "archive")
    return tmp_path / "archive"


@pytest.fixture
def recorded(project, agent):
    agent.post(
        an_item("s-1", call_id="good", tool_args={"account": "A-2091"}, elapsed_ms=12.5),
        an_item("s-1", call_id="bad", output="Error: no", tool_name="mail"),
        an_item("s-2", call_id="large", output="word " * 4_000),
        a_denied_item("s-2", call_id="no"),
        an_item(None, call_id="alone", output={"list": [1, "é"]}),
    )
    agent.post_events(an_event(call_id="sdk"))


@pytest.fixture
def line():
    with buckets.Line() as line:
        yield line


@pytest.fixture
def bucket(settings, tmp_path, line):
    settings.DATA = tmp_path
    settings.ARCHIVE = buckets.a_bucket(line.url)
    return settings.ARCHIVE


def tomorrow():
    return datetime.now(UTC) + ONE_DAY


def read(folder, project, columns="*"):
    files = duckdb.read_parquet(f"{folder}/{project.slug}/*.parquet")
    rows = files.project(columns)
    return rows.fetchall()


def test_each_call_is_archived_with_its_payload_in_the_file_of_its_day(project, recorded, folder):
    assert archive_due(project, tomorrow()) == 1
    rows = {
        row[0]: row
        for row in read(folder, project, "call_id, verdict, arguments, output, epoch_us(called_at)")
    }
    assert rows.keys() == set(Call.objects.values_list("call_id", flat=True))
    assert json.loads(rows["good"][2]) == {"account": "A-2091"}
    assert json.loads(rows["alone"][3]) == {"list": [1, "é"]}
    assert json.loads(rows["large"][3]) == "word " * 4_000
    stored = dict(Call.objects.values_list("call_id", "verdict"))
    assert {name: row[1] or "" for name, row in rows.items()} == stored
    assert rows["good"][4] == micros_of(Call.objects.get(call_id="good").at)
    tools = read(folder, project, "tool")
    assert tools == sorted(tools)


def test_the_manifest_lists_each_file_with_its_size_and_hash(project, recorded, folder):
    archive_due(project, tomorrow())
    manifest = json.loads((folder / project.slug / "manifest.json").read_text())
    (day,) = manifest["days"]
    content = (folder / project.slug / day["file"]).read_bytes()
    assert (day["calls"], day["size_bytes"]) == (6, len(content))
    assert day["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["columns"]["elapsed_ms"] == "DOUBLE"
    assert [path.name for path in (folder / project.slug).glob("draft-*")] == []


def test_a_run_archives_calls_before_it_removes_them(project, recorded, folder, monkeypatch):
    calls = set(Call.objects.values_list("call_id", flat=True))
    days_later(monkeypatch, 402)
    carried_out(project)
    assert not Call.objects.exists()
    assert {name for (name,) in read(folder, project, "call_id")} == calls
    assert ArchivedDay.objects.filter(calls__gt=0).count() == 1


def test_nothing_is_removed_if_an_archive_file_is_incomplete(
    project, recorded, folder, monkeypatch
):
    write = archive._write_lines

    def losing(day, path, heartbeat):
        write(day, path, heartbeat)
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))

    monkeypatch.setattr(archive, "_write_lines", losing)
    days_later(monkeypatch, 402)
    run = runs.start_run(project, by=CONSOLE)
    runs.run_retention(run.pk)
    run.refresh_from_db()
    assert run.status == run.Status.FAILED
    assert "rows, not 6" in run.error
    assert Call.objects.count() == 6
    assert not ArchivedDay.objects.exists()
    assert list(folder.rglob("*.parquet")) == []


def test_nothing_is_removed_while_the_archive_folder_is_not_writable(
    project, recorded, folder, settings, monkeypatch
):
    settings.ARCHIVE = os.devnull
    days_later(monkeypatch, 402)
    run = runs.start_run(project, by=CONSOLE)
    runs.run_retention(run.pk)
    run.refresh_from_db()
    assert (run.status, Event.objects.count()) == (run.Status.FAILED, 6)
    assert "The archive cannot be written" in run.error


def test_only_complete_and_processed_days_are_removable(project, folder):
    before = datetime(2026, 11, 18, 15, tzinfo=UTC)
    assert removable_before(project, before) == datetime(2026, 11, 18, tzinfo=UTC)
    builders.a_batch(project, received_at=datetime(2026, 11, 3, 4, tzinfo=UTC))
    assert removable_before(project, before) == datetime(2026, 11, 3, tzinfo=UTC)


def test_a_day_is_archived_once(project, recorded, folder):
    assert archive_due(project, tomorrow()) == 1
    assert archive_due(project, tomorrow()) == 0


@pytest.mark.slow
def test_the_example_queries_in_the_docs_run_against_the_archive(project, recorded, folder):
    archive_due(project, tomorrow())
    questions = [block.text for block in blocks_of("docs/archive.md") if block.language == "python"]
    answers = []
    for question in questions:
        done = subprocess.run(
            [sys.executable, "-c", question], cwd=folder, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    assert "mail" in answers[0]
    assert "good" in answers[1]
    assert "Error: no" in answers[2]


def test_the_archive_command_reports_what_it_wrote(project, recorded, folder, settings, capsys):
    call_command("archive", project.slug, until=datetime.now(UTC).date())
    assert "0 days with calls written." in capsys.readouterr().out  # today is not over yet
    settings.ARCHIVE = ""
    with pytest.raises(CommandError):
        call_command("archive", project.slug)


@pytest.mark.slow
def test_days_and_manifest_are_uploaded_to_a_bucket(project, recorded, bucket, tmp_path):
    assert archive_due(project, tomorrow()) == 1
    (day,) = ArchivedDay.objects.filter(calls__gt=0)
    names = {f"artifacts/{day.path}", f"artifacts/{project.slug}/manifest.json"}
    assert set(buckets.keys_in(bucket)) == names
    content = buckets.content_of(bucket, f"artifacts/{day.path}")
    assert hashlib.sha256(content).hexdigest() == day.sha256
    (tmp_path / "day.parquet").write_bytes(content)
    rows = duckdb.read_parquet(str(tmp_path / "day.parquet")).project("call_id").fetchall()
    assert {name for (name,) in rows} == set(Call.objects.values_list("call_id", flat=True))
    manifest = json.loads(buckets.content_of(bucket, f"artifacts/{project.slug}/manifest.json"))
    assert [each["sha256"] for each in manifest["days"]] == [day.sha256]
    assert list((tmp_path / "uploads").iterdir()) == []


@pytest.mark.slow
def test_nothing_is_removed_while_the_bucket_is_unavailable(
    project, recorded, bucket, line, monkeypatch
):
    days_later(monkeypatch, 402)
    line.mode = "cut"
    run = runs.start_run(project, by=CONSOLE)
    runs.run_retention(run.pk)
    run.refresh_from_db()
    assert (run.status, Event.objects.count()) == (run.Status.FAILED, 6)
    assert "The archive cannot be written" in run.error
    assert not ArchivedDay.objects.exists()
