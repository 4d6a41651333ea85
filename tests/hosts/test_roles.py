"""Separate web, worker and scheduler hosts that share one PostgreSQL and one Redis."""

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from edictum_site.program.place import manage_command
from tests.hosts.installation import Installation, installation, until
from tests.items import an_outcome
from tests.journeys.console import Console
from tests.journeys.streams import deploy, listening, new_key

pytestmark = pytest.mark.slow  # it starts the product


@pytest.fixture(scope="module")
def running(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Two web processes, a worker of each kind and two schedulers, with separate data folders."""
    folder = tmp_path_factory.mktemp("hosts")
    with installation(folder, server) as made:
        for host, *role in (
            ("a", "web"),
            ("b", "web"),
            ("c", "worker", "--queues", "settle"),
            ("d", "worker", "--queues", "interactive,bulk", "--jobs", "1"),
            ("e", "scheduler"),
            ("f", "scheduler"),
        ):
            made.start(host, *role)
        for each in made.products:
            each.wait_until_served()
        yield made


@pytest.fixture
def webs(running: Installation) -> tuple[Console, Console]:
    first, second = running.products[:2]
    database = running.variables["DATABASE_URL"]
    return Console(first, database), Console(second, database)


def refused(folder: Path, *role: str, **variables: str) -> str:
    """One-line error of a role that refuses to start."""
    env = os.environ | {"PORT": "0", "EDICTUM_SITE_DATA": str(folder)} | variables
    ended = subprocess.run(
        [*manage_command(role[0]), *role[1:]], env=env, capture_output=True, text=True, timeout=90
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    (sentence,) = ended.stderr.splitlines()
    return sentence


def hosts_of(console: Console) -> dict[tuple[str, str], dict[str, object]]:
    _, body = console.ask("GET", "health")
    return {(each["name"], each["process"]): each for each in body["hosts"]}


def active(console: Console) -> str:
    return next((name for (name, _), each in hosts_of(console).items() if each["is_active"]), "")


def test_what_one_web_accepts_is_settled_elsewhere_and_read_at_the_other(webs):
    call = uuid.uuid4().hex
    webs[0].post(an_outcome(call, output="x" * 20_000))  # an artifact, in the shared folder
    body = webs[1].settled(f"outcomes/{call}")
    assert body["verdict"] == "success"


def test_jobs_run_on_the_host_that_serves_their_queue(webs):
    name = f"b{uuid.uuid4().hex[:12]}"
    deploy(webs[0], name)
    body = json.dumps({"name": name, "env": "production"}).encode()
    status, begun = webs[0].ask("POST", "contracts/backtests", body)
    assert status == 202, begun

    def ended() -> str:
        _, body = webs[1].ask("GET", f"contracts/backtests/{begun['id']}")
        return body["status"] if body["status"] not in ("queued", "running") else ""

    assert until(ended) == "done"
    # A worker reports its queues once it is connected, some seconds after its first report.
    until(lambda: hosts_of(webs[0])["d", "jobs"]["queues"] == "interactive, bulk")
    until(lambda: hosts_of(webs[0])["c", "worker"]["queues"] == "settle")


def test_a_deployment_at_one_web_reaches_a_stream_at_the_other(webs):
    name = f"b{uuid.uuid4().hex[:12]}"
    deploy(webs[0], name)
    query = {"env": "production", "bundle_name": name}
    with listening(webs[1], query=query) as stream:
        assert stream.next("contract_update")["version"] == 1
        deploy(webs[0], name, "two")
        assert stream.next("contract_update")["version"] == 2


def test_a_key_that_one_web_revokes_ends_streams_and_posts_at_the_other(webs):
    name = f"b{uuid.uuid4().hex[:12]}"
    deploy(webs[0], name)
    key = new_key(webs[0])
    _, body = webs[0].ask("GET", "keys")
    number = max(each["id"] for each in body["keys"])
    query = {"env": "production", "bundle_name": name}
    with listening(webs[1], key=key, query=query) as stream:
        stream.next("contract_update")
        assert webs[1].ask("GET", "outcomes?limit=1", key=key)[0] in (200, 403)
        status, _ = webs[0].ask("DELETE", f"keys/{number}")
        assert status in (200, 204)
        stream.ends()
    until(lambda: webs[1].ask("GET", "outcomes?limit=1", key=key)[0] == 401)


def test_a_scheduler_that_is_killed_is_replaced_by_the_other(running, webs):
    before = until(lambda: active(webs[0]))
    killed = next(each for each in running.products if each.data.name == before)
    os.kill(killed.process.pid, signal.SIGKILL)
    killed.process.wait(60)
    after = until(lambda: (name := active(webs[0])) != before and name)
    assert {before, after} == {"e", "f"}
    until(lambda: hosts_of(webs[0])[before, "scheduler"]["state"] == "silent")
    assert hosts_of(webs[0])[after, "scheduler"]["state"] == "up"


def test_a_host_that_does_not_fit_is_refused_with_one_sentence(running, tmp_path):
    foreign = {**running.environment("g"), "EDICTUM_SITE_SECRET_KEY": "another"}
    assert "The secret key differs from that of" in refused(tmp_path, "web", **foreign)
    alone = {**running.environment("g"), "EDICTUM_SITE_ARTIFACTS": ""}
    assert "The artifact store differs from that of" in refused(tmp_path, "worker", **alone)


def test_a_second_process_of_a_kind_on_one_data_folder_is_refused(running):
    sentence = refused(running.data("a"), "web", **running.environment("a"))
    assert sentence.startswith("A web process is already running on the data folder")
    sentence = refused(running.data("a"), "up", **running.environment("a"))
    assert "already running on the data folder" in sentence


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"DATABASE_URL": "", "REDIS_URL": ""}, "Roles share a PostgreSQL: set DATABASE_URL"),
        ({"DATABASE_URL": "postgresql://h/d", "REDIS_URL": ""}, "Roles share a Redis"),
    ],
)
def test_roles_need_what_they_share(tmp_path, variables, sentence):
    assert sentence in refused(tmp_path, "worker", **variables)


def test_a_queue_that_does_not_exist_is_a_usage_error(tmp_path):
    command = [sys.executable, *manage_command("worker")[1:], "--queues", "settle,nothing"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 2
    assert "'nothing' is not one of settle, interactive, bulk" in ended.stderr


def test_a_host_before_the_migration_says_what_to_run(server, tmp_path):
    with installation(tmp_path, server) as made:
        ours = urlsplit(made.variables["DATABASE_URL"])
        other = ours._replace(path="/template1").geturl()
        sentence = refused(made.data("a"), "web", **made.environment("a", {"DATABASE_URL": other}))
    assert "Run `python manage.py migrate`" in sentence


def test_a_killed_worker_is_missed_although_another_lives(running, webs):
    second = running.start("h", "worker", "--queues", "settle").wait_until_served()
    until(lambda: hosts_of(webs[0]).get(("h", "worker"), {}).get("state") == "up")
    second.process.kill()
    second.process.wait(10)
    running.products.remove(second)
    until(lambda: hosts_of(webs[0])["h", "worker"]["state"] == "silent")
    _, body = webs[0].ask("GET", "health")
    assert body["worker"] == "up"
