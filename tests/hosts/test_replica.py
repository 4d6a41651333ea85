"""Pages are read from a streaming standby, but users always see their own recent writes."""

import json
import os
import subprocess
from collections.abc import Iterator

import pytest

from edictum_site.program.place import BASE, manage_command
from tests.hosts.browser import Browser
from tests.hosts.installation import Installation, installation, until
from tests.hosts.standby import Standby, server_with_standby
from tests.items import an_outcome
from tests.journeys.console import Console

pytestmark = pytest.mark.slow  # it starts the product
CALLS = "/p/default/calls/?range=all"
# Makes pages' queries fail while the replica's own checks succeed, as if the standby canceled them.
ENDS_QUERIES = "&options=-csearch_path%3Dpg_catalog"


@pytest.fixture(scope="module")
def standby() -> Iterator[Standby]:
    with server_with_standby() as made:
        yield made


@pytest.fixture(scope="module")
def running(standby: Standby, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """Two web processes that use the standby, and a worker."""
    folder = tmp_path_factory.mktemp("replica")
    with installation(folder, standby.primary, EDICTUM_SITE_REPLICA_LAG="900") as made:
        reads = standby.of(made.variables["DATABASE_URL"])
        made.start("a", "web", more={"DATABASE_REPLICA_URL": reads})
        made.start("b", "web", more={"DATABASE_REPLICA_URL": reads + ENDS_QUERIES})
        made.start("c", "worker")
        for each in made.products:
            each.wait_until_served()
        yield made


@pytest.fixture
def webs(running: Installation) -> tuple[Console, Console]:
    first, second = running.products[:2]
    database = running.variables["DATABASE_URL"]
    return Console(first, database), Console(second, database)


def post_and_settle(console: Console, call: str) -> None:
    console.post(an_outcome(call, tool_name=f"{call}_tool"))
    console.settled(f"outcomes/{call}")


def doctor_about_replica(running: Installation, standby: Standby) -> dict[str, str]:
    reads = {"DATABASE_REPLICA_URL": standby.of(running.variables["DATABASE_URL"])}
    env = os.environ | running.environment("admin", reads)
    env["EDICTUM_SITE_DATA"] = str(running.data("admin"))
    command = [*manage_command("doctor"), "--json"]
    ran = subprocess.run(command, env=env, cwd=BASE, capture_output=True, text=True, timeout=120)
    (result,) = (each for each in json.loads(ran.stdout)["checks"] if each["check"] == "replica")
    return dict(result)


def test_pages_read_from_the_standby_and_a_person_sees_what_they_wrote(standby, running, webs):
    console = webs[0]
    writer, reader = Browser(console.url), Browser(console.url)
    post_and_settle(console, "before")
    until(lambda: "before_tool" in reader.page(CALLS))  # replayed
    until(lambda: console.ask("GET", "health")[1]["replica"] == "ok")
    assert doctor_about_replica(running, standby)["state"] == "ok"
    standby.answers("SELECT pg_wal_replay_pause()")
    until(lambda: standby.answers("SELECT pg_get_wal_replay_pause_state()")[0] == "paused")
    try:
        post_and_settle(console, "after")
        assert "after_tool" not in reader.page(CALLS)  # not replayed on the standby yet
        writer.post("/p/default/saved-views/save/", name="my view", page="calls", query="range=all")
        assert "my view" in writer.page("/p/default/saved-views/")
        assert "after_tool" in writer.page(CALLS)  # read from the primary, as this user wrote
        assert "after_tool" not in reader.page(CALLS)  # this user didn't
    finally:
        standby.answers("SELECT pg_wal_replay_resume()")
    until(lambda: "after_tool" in reader.page(CALLS))
    assert "after_tool" in writer.page(CALLS)


def test_a_page_whose_query_the_standby_ends_is_read_from_the_database(webs):
    console = webs[1]
    post_and_settle(console, "ended")
    assert "ended_tool" in Browser(console.url).page(CALLS)
    logged = (console.product.data / "log" / "web.log").read_text()
    assert "Pages are read from the database, not from its replica" in logged


def test_without_its_standby_pages_are_read_from_the_database_and_health_says_so(
    standby, running, webs
):
    """Must be last in this file, because it stops the standby."""
    console = webs[0]
    browser = Browser(console.url)
    standby.stop()
    post_and_settle(console, "alone")
    assert "alone_tool" in browser.page(CALLS)
    assert "alone_tool" in Browser(console.url).page(CALLS)
    until(lambda: console.ask("GET", "health")[1]["status"] == "degraded")
    status, body = console.ask("GET", "health")
    why = "The replica does not answer. Pages are read from the database."
    assert (status, body["replica"]) == (200, why)
    assert doctor_about_replica(running, standby)["state"] == "warning"
