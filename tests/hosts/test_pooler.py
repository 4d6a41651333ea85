"""All roles behind PgBouncer, with fewer server connections than clients."""

import json
import os
import subprocess
import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from edictum_site.program.place import BASE, manage_command
from tests.hosts.installation import Installation, installation, until
from tests.hosts.pooler import pgbouncer
from tests.items import an_event, an_outcome
from tests.journeys.console import Console
from tests.journeys.streams import deploy
from tests.stored import stored_by

pytestmark = pytest.mark.slow  # it starts the product


@pytest.fixture(scope="module")
def pooled(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """All roles behind a pooler in transaction mode."""
    with (
        pgbouncer(server, "transaction") as pooler,
        installation(tmp_path_factory.mktemp("pooled"), server) as made,
    ):
        name = urlsplit(made.variables["DATABASE_URL"]).path
        made.variables["DATABASE_URL"] = f"{pooler}{name}?pool_mode=transaction"
        try:
            for host, *role in (("a", "web"), ("b", "worker"), ("c", "scheduler")):
                made.start(host, *role)
            for each in made.products:
                each.wait_until_served()
            yield made
        finally:
            made.stop()


@pytest.fixture
def console(pooled: Installation) -> Console:
    return Console(pooled.products[0], pooled.variables["DATABASE_URL"])


def backup(made: Installation) -> str:
    """Error message of a backup that refuses to run."""
    env = os.environ | made.environment("admin") | {"EDICTUM_SITE_DATA": str(made.data("admin"))}
    ran = subprocess.run(
        [*manage_command("backup"), str(made.folder / "backup.zst")],
        env=env, cwd=BASE, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stdout
    return ran.stderr


def test_all_roles_work_with_connections_lent_by_transaction(pooled, console):
    calls = [uuid.uuid4().hex for _ in range(300)]
    for start in range(0, len(calls), 30):
        console.post(*(an_outcome(each, session_id="s") for each in calls[start:][:30]))
    console.post(an_outcome("large", output="x" * 20_000), an_outcome("late"))
    console.post(an_event("call_allowed", "pair"), an_event("call_executed", "pair"), to="events")
    assert console.settled("outcomes/large")["artifact_id"]
    for number in range(12):  # enough repeats that psycopg would prepare the statement
        body = json.dumps({"amount": 1}).encode()
        status, answer = console.ask("POST", "sessions/attempts:s/increment", body)
        assert (status, answer["value"]) == (200, number + 1), answer
    name = f"b{uuid.uuid4().hex[:12]}"
    deploy(console, name)
    body = json.dumps({"name": name, "env": "production"}).encode()
    _, begun = console.ask("POST", "contracts/backtests", body)
    until(lambda: console.ask("GET", f"contracts/backtests/{begun['id']}")[1]["status"] == "done")
    until(lambda: console.ask("GET", "health")[1]["scheduler"] == "up")
    assert console.ask("GET", "health")[1]["status"] == "ok"
    stored = stored_by(pooled.data("admin"), pooled.environment("admin"))
    assert (stored["calls"], stored["waiting"]) == (len(calls) + 3, 0)
    assert stored["differences"] == []
    for product in pooled.products:
        logs = "".join(each.read_text() for each in (product.data / "log").glob("*.log"))
        assert "prepared statement" not in logs


def test_a_backup_needs_the_server_itself(pooled):
    assert "Run this command with the address of the server itself." in backup(pooled)
    assert not (pooled.folder / "backup.zst").exists()


def test_with_session_pooling_startup_options_are_ignored_by_the_pooler(server, tmp_path):
    ignoring = "ignore_startup_parameters = options"
    with (
        pgbouncer(server, "session", more=ignoring) as pooler,
        installation(tmp_path, server) as made,
    ):
        name = urlsplit(made.variables["DATABASE_URL"]).path
        made.variables["DATABASE_URL"] = f"{pooler}{name}"
        made.manage("migrate")  # PgBouncer would reject the connection without this setting
