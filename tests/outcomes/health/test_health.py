"""Health: whether the process is alive, whether a post would be accepted, and what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from outcomes.health import commands as readiness
from outcomes.ingest.commands import back_pressure
from outcomes.models import Batch
from tests import builders
from tests.builders import an_outcome
from tests.edictum_site.test_read_only_database import read_only
from tests.outcomes.posting import Agent, settle
from tests.outcomes.suggestions.test_store_faults import LARGE, other_host, store_away


@pytest.fixture(autouse=True)
def data(settings, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    return tmp_path


def ask(path: str) -> tuple[int, dict[str, Any]]:
    readiness.forget()
    back_pressure.forget()
    response = Client().get(f"/v1/{path}")
    assert response.headers.get("Retry-After", "5") == "5"
    return response.status_code, response.json()


def refused_for(part: str) -> str:
    """Why the console is not ready, according to both endpoints."""
    status, answer = ask("health/ready")
    assert (status, answer["status"], answer["code"]) == (503, "unavailable", "not_ready")
    assert [each["path"] for each in answer["errors"]] == [part]
    status, everything = ask("health")
    assert (status, everything["status"]) == (503, "unavailable")
    assert everything[part] == answer["detail"]
    assert ask("health/live") == (200, {"status": "ok"})
    return str(answer["detail"])


def test_a_console_that_accepts_posts_is_ready(db):
    assert ask("health/ready") == (200, {"status": "ok"})
    status, answer = ask("health")
    assert (status, answer["status"]) == (200, "ok")
    assert answer["database"] == "up"
    assert {answer[part] for part in ("schema", "inbox", "artifacts")} == {"ok"}


def test_the_probe_leaves_no_batch_behind(db):
    ask("health/ready")
    assert not Batch.objects.exists()


def test_the_liveness_probe_runs_no_queries(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert ask("health/live") == (200, {"status": "ok"})


def test_the_probe_is_cached_for_a_second(db, django_assert_num_queries):
    ask("health/ready")
    with django_assert_num_queries(0):
        assert Client().get("/v1/health/ready").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_read_only_database_is_not_ready():
    builders.a_project()
    with read_only():
        assert refused_for("database") == "The database is read-only."
    assert ask("health/ready")[0] == 200


@pytest.mark.django_db(transaction=True)
def test_a_table_that_rejects_a_post_is_not_ready():
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE outcomes_batch RENAME COLUMN agent TO somebody")
    try:
        assert refused_for("database") == "The database does not accept a post."
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE outcomes_batch RENAME COLUMN somebody TO agent")


def test_a_schema_of_a_newer_version_is_not_ready(db):
    MigrationRecorder(connection).record_applied("outcomes", "9999_from_the_future")
    assert "newer than this version" in refused_for("schema")


def test_a_schema_of_an_older_version_is_not_ready(db):
    MigrationRecorder(connection).record_unapplied("outcomes", "0001_initial")
    assert "0001_initial" in refused_for("schema")


def test_an_artifact_store_that_cannot_be_written_is_not_ready(db, data):
    with store_away(data):
        assert "artifact store" in refused_for("artifacts")
    assert ask("health/ready")[0] == 200


def test_a_full_disk_is_not_ready(db, settings):
    settings.DISK_RESERVE = 2**60
    status, answer = ask("health/ready")
    assert (status, answer["code"]) == (503, "not_ready")
    parts = {each["path"]: each["message"] for each in answer["errors"]}
    assert parts.keys() == {"inbox", "artifacts"}
    assert "must stay free" in parts["inbox"]


def test_a_full_inbox_is_not_ready(agent: Agent, settings):
    agent.door(json.dumps({"outcomes": [an_outcome()]}).encode())
    settings.INBOX_BYTES = 1
    assert "The inbox is full" in refused_for("inbox")
    settle()
    assert ask("health/ready")[0] == 200


@pytest.mark.parametrize("away", [store_away, other_host])
def test_health_names_the_fault_that_delays_batches(agent: Agent, data, away):
    agent.post(an_outcome("first", output=LARGE))
    name = agent.outcome("first")["artifact_id"]
    item = an_outcome("c", type="artifact_reference", artifact_id=name)
    with away(data):
        agent.post(item)
    status, answer = ask("health")
    assert (status, answer["status"]) == (200, "degraded")
    assert "artifact" in answer["settling"]
    assert ask("health/ready")[0] == 200
    (fault,) = agent.get("health")["faults"]
    assert (fault["batches"], fault["items"]) == (1, 1)


def test_health_returns_project_counts_only_to_keys_of_the_project(agent: Agent):
    agent.door(json.dumps({"outcomes": [an_outcome(), an_outcome()]}).encode())
    backlog = agent.get("health")["backlog"]
    assert (backlog["batches"], backlog["items"], backlog["is_more"]) == (1, 2, False)
    other = Agent(builders.bearing(builders.a_key(builders.a_project(), "read")[0]))
    assert other.get("health")["backlog"]["batches"] == 0
    _, strangers = ask("health")
    assert not {"backlog", "faults"} & strangers.keys()
