"""Streams across web processes, during broker outages and shutdowns, and connected agents."""

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import override_settings

from edictum_site.stack import redis
from edictum_site.stack.children import web_command
from edictum_site.stack.port import listen, url_of
from edictum_site.stack.running import Product
from edictum_site.stack.running import product as running
from governance.delivery import news
from governance.delivery.news import Connected
from tests.databases import own_database
from tests.journeys.console import VARIABLES, Console
from tests.journeys.streams import PATIENCE, assign, deploy, listening, new_key
from tests.sdks.environments import ROOT, python_of

pytestmark = pytest.mark.both_databases


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Console]:
    """A console whose processes a test may kill."""
    with own_database() as variables, running(tmp_path / "own", VARIABLES | variables) as product:
        yield Console(product, variables["DATABASE_URL"])


@pytest.fixture
def name() -> str:
    return f"b{uuid.uuid4().hex[:12]}"


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)
    return result


def redis_of(product: Product) -> str:
    return redis.url_in(product.data / "redis")


@contextmanager
def second_process(console: Console) -> Iterator[Any]:
    """Another web process of the same installation on a separate port."""
    product = console.product
    env = os.environ | {
        "EDICTUM_SITE_DATA": str(product.data),
        "DATABASE_URL": console.database,
        "REDIS_URL": redis_of(product),
    }
    with listen("127.0.0.1", 0) as listener, (product.data / "second.log").open("wb") as log:
        command = web_command("edictum_site.server:application", listener.fileno())
        process = subprocess.Popen(
            command, env=env, pass_fds=[listener.fileno()], stderr=log, process_group=0
        )
        try:
            yield SimpleNamespace(url=url_of(listener), process=process)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def query(name: str) -> dict[str, str]:
    return {"env": "production", "bundle_name": name}


def test_a_deployment_in_one_process_reaches_the_streams_of_all_processes(console, name):
    deploy(console, name)
    with (
        second_process(console) as second,
        listening(console, query=query(name)) as here,
        listening(second, query=query(name)) as there,
    ):
        for listener in (here, there):
            assert listener.next("contract_update")["version"] == 1
        deploy(console, name, "two")
        for listener in (here, there):
            assert listener.next("contract_update")["version"] == 2


def test_connected_agents_are_visible_in_every_process_until_they_disconnect(console, name):
    key = new_key(console, agent=f"{name}-*")
    deploy(console, name)

    def connected() -> list[Connected]:
        with override_settings(REDIS_URL=redis_of(console.product)):
            result = news.connected(1) or []
        return [each for each in result if each.agent.startswith(name)]

    with second_process(console) as second, ExitStack() as stack:
        began = time.time()
        first = stack.enter_context(
            listening(console, key=key, agent=f"{name}-1", query=query(name))
        )
        stack.enter_context(listening(second, key=key, agent=f"{name}-2", query=query(name)))
        revision = first.next("contract_update")["revision_hash"]

        def revisions() -> dict[str, str]:
            return {each.agent: each.revision for each in connected()}

        until(lambda: revisions() == {f"{name}-1": revision, f"{name}-2": revision})
        for each in connected():
            assert (each.bundle, each.environment) == (name, "production")
            assert began - 5 < each.since < time.time() + 5
        deploy(console, name, "two")
        until(lambda: len(now := revisions()) == 2 and revision not in now.values())
        first.close()
        until(lambda: [each.agent for each in connected()] == [f"{name}-2"])
    assert until(lambda: not connected())


def test_deployments_during_and_after_a_broker_outage_reach_open_streams(own, name):
    deploy(own, name)
    with listening(own, query=query(name)) as listener:
        assert listener.next("contract_update")["version"] == 1
        broker = own.product.children["redis"]
        os.kill(broker, signal.SIGSTOP)  # no response and no error
        os.kill(broker, signal.SIGKILL)
        assert deploy(own, name, "two") == 2  # a deployment needs no broker
        assert listener.next("contract_update")["version"] == 2
        until(lambda: own.product.children["redis"] != broker)
        deploy(own, name, "three")
        assert listener.next("contract_update")["version"] == 3


def test_a_shutdown_closes_open_streams_without_errors(own, name):
    deploy(own, name)
    with ExitStack() as stack:
        listeners = [stack.enter_context(listening(own, query=query(name))) for _ in range(50)]
        for listener in listeners:
            listener.next("ruleset_updated")
        web = own.product.children["web"]
        os.kill(web, signal.SIGTERM)
        assert all(listener.ends() for listener in listeners)
        until(lambda: own.product.children["web"] != web)
        with listening(own, query=query(name)) as again:
            assert again.next("contract_update")["version"] == 1
    assert own.product.stop() == 0
    log = (own.product.data / "log" / "web.log").read_text()
    assert "Traceback" not in log
    assert "ASGI" not in log


def test_open_streams_hold_no_database_connection(own, name):
    deploy(own, name)

    def held() -> int:
        """Open files and sockets of the web process."""
        return len(os.listdir(f"/proc/{own.product.children['web']}/fd"))

    with ExitStack() as stack:
        for _ in range(8):  # so that every thread has handled a request
            stack.enter_context(listening(own, query=query(name))).next("ruleset_updated")
        before = held()
        for _ in range(60):
            stack.enter_context(listening(own, query=query(name))).next("ruleset_updated")
        assert held() - before <= 60 + 8  # one socket each, plus what threads open on first use


@contextmanager
def an_agent(console: Console, **variables: str) -> Iterator[Callable[[], str]]:
    """Yield a function that returns the next changed denial of a real SDK agent."""
    program = ROOT / "tests" / "sdks" / "programs" / "hot_reload.py"
    fields = {"CONSOLE_URL": console.url, "CONSOLE_KEY": new_key(console), **variables}
    with subprocess.Popen(
        [str(python_of("0.19.0")), str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=fields | {"PATH": os.environ["PATH"]},
        text=True,
    ) as process:
        words, value = process.stdin, process.stdout
        assert words is not None
        assert value is not None
        yield lambda: value.readline().strip()
        words.close()
        assert process.wait(PATIENCE) == 0


def test_a_real_sdk_agent_reloads_its_contract_while_running(console, name):
    deploy(console, name, "first")
    with an_agent(console, AGENT=name, BUNDLE=name) as denied_for:
        assert denied_for() == "first"
        deploy(console, name, "second")
        assert denied_for() == "second"


def test_a_real_sdk_agent_follows_its_assignment(console, name):
    for bundle in (f"{name}-1", f"{name}-2"):
        deploy(console, bundle, bundle)
    assign(console, f"{name}-1", env="production", agent_id=name)
    with an_agent(console, AGENT=name) as denied_for:
        assert denied_for() == f"{name}-1"
        assign(console, f"{name}-2", env="production", agent_id=name)
        assert denied_for() == f"{name}-2"
        deploy(console, f"{name}-2", "newer")
        assert denied_for() == "newer"
