"""The session store of a running product with concurrent requests: no lost or double counts."""

import asyncio
import http.client
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from edictum import Edictum, EdictumDenied
from edictum.server import EdictumServerClient, ServerBackend

from edictum_site.stack.running import Product
from edictum_site.stack.running import product as running
from tests.databases import own_database

pytestmark = pytest.mark.slow  # starts the product

KEY = "edk_production_" + "cOun" * 10
RULES = """
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: few}
defaults: {mode: enforce}
rules:
  - id: few
    type: session
    limits: {max_tool_calls: 3}
    then: {action: block, message: enough}
"""


@pytest.fixture(scope="module")
def database() -> Iterator[dict[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, database: dict[str, str]) -> Iterator[Product]:
    data = tmp_path_factory.mktemp("counting")
    with running(data, database | {"EDICTUM_SITE_BOOTSTRAP_KEY": KEY}) as product:
        yield product


class Client:
    """A persistent connection, as an SDK uses."""

    def __init__(self, product: Product, key: str = KEY, agent: str = "bot") -> None:
        self.connection = http.client.HTTPConnection(product.url.removeprefix("http://"))
        self.headers = {"Authorization": f"Bearer {key}", "X-Edictum-Agent-Id": agent}

    def ask(self, method, path, body=None):
        text = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        self.connection.request(method, f"/v1/{path}", text, self.headers)
        response = self.connection.getresponse()
        assert response.headers["Content-Type"].startswith("application/json")
        return response.status, json.loads(response.read())

    def increment(self, key, amount=1, *, safe=""):
        path = f"sessions/{quote(key, safe=safe)}/increment"
        status, answer = self.ask("POST", path, {"amount": amount})
        return answer["value"] if status == 200 else (status, answer["code"])

    def value(self, key):
        status, answer = self.ask("GET", f"sessions/{quote(key, safe='')}")
        return answer["value"] if status == 200 else status

    def close(self):
        self.connection.close()


@pytest.fixture
def client(store):
    client = Client(store)
    yield client
    client.close()


def test_concurrent_increments_return_distinct_values(store):
    keys = [f"s:at-once:tool:{n}" for n in range(3)]
    start = threading.Barrier(8)

    def work(number):
        client = Client(store)
        start.wait()
        counted = [(key, client.increment(key, 1)) for _ in range(40) for key in keys]
        client.close()
        return counted

    with ThreadPoolExecutor(8) as pool:
        counted = [each for done in pool.map(work, range(8)) for each in done]
    for key in keys:
        assert sorted(value for name, value in counted if name == key) == list(range(1, 321))


def test_concurrent_amounts_add_up(store):
    amounts = [list(range(n, n + 60)) for n in range(1, 7)]

    def work(mine):
        client = Client(store)
        for amount in mine:
            client.increment("s:amounts:attempts", amount)
            client.increment("budget", -0.5)  # not handled by the fast path
        client.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, amounts))
    reader = Client(store)
    assert reader.value("s:amounts:attempts") == str(sum(map(sum, amounts)))
    assert reader.value("budget") == "-180"
    reader.close()


@pytest.mark.parametrize(
    "key",
    [
        "s:a/b:tool:read file",
        "s:日本 🙂:execs",
        "q?&#%:execs",
        "é" * 10_000,
        "🙂" * 10_000,
        "x\ny",
        "a/increment",
    ],
)
def test_differently_escaped_keys_are_the_same_key(client, key):
    assert client.increment(key) == 1
    assert client.increment(key, safe=":/") == 2
    assert client.value(key) == "2"


@pytest.mark.parametrize(
    ("key", "amount", "refused"),
    [
        ("s:a:attempts", 0, (422, "protected")),
        ("s:a:attempts", -1, (422, "protected")),
        ("s:a:attempts", 2**53, (422, "out_of_range")),
        ("nul \0", 1, (422, "invalid_key")),
        ("k" * 25_001, 1, (422, "key_too_long")),
        ("free", "1", (422, "wrong_shape")),
    ],
)
def test_errors_have_the_format_of_the_rest_of_the_api(client, key, amount, refused):
    assert client.increment("warm") >= 1  # the key is cached from here on
    assert client.increment(key, amount) == refused


def test_a_chunked_body_is_counted(client):
    client.increment("warm")
    client.ask("POST", "sessions/pieces/increment", b'{"amount":  2}')
    connection = client.connection
    connection.request(
        "POST", "/v1/sessions/pieces/increment", iter([b'{"amo', b'unt": 3}']), client.headers
    )
    assert json.loads(connection.getresponse().read()) == {"value": 5}


def test_only_an_active_agent_key_can_increment(store, client):
    made = {}
    for scope in ("read", "agent"):
        body = {"name": scope, "env": "production", "scopes": [scope], "agent": "bot-*"}
        made[scope] = client.ask("POST", "keys", body)[1]
    stranger = {"key": "edk_production_" + "x" * 40}
    for key, agent, refused in (
        (stranger, "bot-1", (401, "unauthenticated")),
        (made["read"], "bot-1", (403, "scope")),
        (made["agent"], "other", (403, "agent")),
    ):
        with closing(Client(store, key["key"], agent)) as asking:
            assert asking.increment("k") == asking.increment("k") == refused
    with closing(Client(store, made["agent"]["key"], "bot-1")) as bound:
        assert [bound.increment("k") for _ in range(3)] == [1, 2, 3]
        client.ask("DELETE", f"keys/{made['agent']['id']}")
        time.sleep(1.0)
        assert bound.increment("k") == (401, "unauthenticated")


def test_a_read_returns_stored_values_unchanged(client):
    text = 'ü \u2028 "quoted" ' + "x" * 2_000
    client.ask("PUT", "sessions/a%20text", {"value": text})
    assert [client.increment("s:look:attempts") for _ in range(3)] == [1, 2, 3]
    body = {"keys": ["s:look:attempts", "a text", "nothing", "a text"]}
    both = {"s:look:attempts": "3", "a text": text}
    for _ in range(2):  # the first request may have loaded the key
        assert client.value("a text") == text
        assert client.value("nothing") == 404
        assert client.ask("POST", "sessions/batch", body) == (200, {"values": both})
    refused = client.ask("POST", "sessions/batch", {"keys": ["nul \0"]})
    assert (refused[0], refused[1]["code"]) == (422, "invalid_key")


def test_a_value_can_be_removed_once_and_a_counter_cannot(client):
    client.increment("s:gone:consec_fail")
    client.increment("s:gone:attempts")
    removals = [client.ask("DELETE", "sessions/s%3Agone%3Aconsec_fail") for _ in range(3)]
    assert [status for status, _ in removals] == [200, 404, 404]
    assert client.ask("DELETE", "sessions/s%3Agone%3Aattempts")[0] == 403
    assert client.value("s:gone:attempts") == "1"


def test_a_read_returns_the_latest_count_immediately(store):
    def work(number):
        with closing(Client(store)) as client:
            return [
                (client.increment(f"s:seen-{number}:execs"), client.value(f"s:seen-{number}:execs"))
                for _ in range(60)
            ]

    with ThreadPoolExecutor(6) as pool:
        for seen in pool.map(work, range(6)):
            assert seen == [(n, str(n)) for n in range(1, 61)]


def test_counters_of_another_environment_are_not_visible(store, client):
    made = client.ask("POST", "keys", {"name": "s", "env": "staging", "scopes": ["agent"]})[1]
    client.increment("s:mine:execs")
    with closing(Client(store, made["key"])) as other:
        for _ in range(2):
            assert other.value("s:mine:execs") == 404
            body = {"keys": ["s:mine:execs"]}
            assert other.ask("POST", "sessions/batch", body) == (200, {"values": {}})
            assert other.ask("DELETE", "sessions/s%3Amine%3Aexecs")[0] == 404
    assert client.value("s:mine:execs") == "1"


def test_counting_continues_after_the_database_closes_its_connections(client, database):
    counted = [client.increment("s:cut:execs") for _ in range(3)]
    if database["DATABASE_URL"]:
        with psycopg.connect(database["DATABASE_URL"], autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    time.sleep(1.1)  # longer than a connection is assumed to be alive
    counted += [client.increment("s:cut:execs") for _ in range(3)]
    assert counted == [1, 2, 3, 4, 5, 6]
    assert client.value("s:cut:execs") == "6"


@contextmanager
def held(database: dict[str, str], data: Path, key: str) -> Iterator[None]:
    """Lock this counter in another transaction; on SQLite, all counters."""
    if database["DATABASE_URL"]:
        with psycopg.connect(database["DATABASE_URL"]) as other:
            other.execute("UPDATE outcomes_storedvalue SET number = number WHERE key = %s", [key])
            yield
            other.rollback()
        return
    with closing(sqlite3.connect(data / "edictum-site.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_a_locked_counter_does_not_block_reads(store, client, database):
    assert client.increment("s:held:execs") == 1
    with ThreadPoolExecutor(1) as pool, closing(Client(store)) as other:
        with held(database, store.data, "s:held:execs"):
            counting = pool.submit(other.increment, "s:held:execs")
            for _ in range(20):
                assert client.value("s:held:execs") == "1"
                time.sleep(0.01)
            assert not counting.done()
        assert counting.result(60) == 2


def test_sdk_guards_share_the_limit_of_a_session(store):
    async def calls() -> list[str]:
        answers = []
        async with (
            EdictumServerClient(store.url, KEY, agent_id="one") as first,
            EdictumServerClient(store.url, KEY, agent_id="two") as second,
        ):
            guards = [
                Edictum.from_yaml_string(RULES, backend=ServerBackend(client))
                for client in (first, second)
            ]
            for number in range(6):
                try:
                    await guards[number % 2].run(
                        "look up", {}, lambda: "ok", session_id="shared session"
                    )
                    answers.append("ran")
                except EdictumDenied as denied:
                    answers.append(str(denied.reason))
            backend = ServerBackend(first)
            prefix = "s:shared session:"
            answers.append(
                str(await backend.batch_get([f"{prefix}attempts", f"{prefix}execs", "no"]))
            )
            answers.append(str(await backend.increment("own", 2)))
            await backend.set("own", "text: ü")
            answers.append(str(await backend.get("own")))
            await backend.delete("own")
            await backend.delete("own")
            answers.append(str(await backend.get("own")))
        return answers

    assert asyncio.run(calls()) == [
        *(["ran"] * 3 + ["enough"] * 3),
        "{'s:shared session:attempts': '6', 's:shared session:execs': '3', 'no': None}",
        "2",
        "text: ü",
        "None",
    ]


def test_a_bound_key_can_increment_only_in_its_own_sessions(store, client):
    key_fields = {"name": "bound", "env": "production", "scopes": ["agent"], "agent": "bot*"}
    made, answer = client.ask("POST", "keys", key_fields)
    assert made == 201
    bound = Client(store, answer["key"])
    assert client.increment("s:of-another:attempts") == 1
    assert [bound.increment("s:of-bound:attempts") for _ in range(5)] == [1, 2, 3, 4, 5]
    assert bound.value("s:of-bound:attempts") == "5"
    assert bound.increment("s:of-another:attempts") == (403, "foreign_session")
    assert bound.value("s:of-another:attempts") == 403
    keys = ["s:of-bound:attempts", "s:of-another:attempts"]
    assert bound.ask("POST", "sessions/batch", {"keys": keys})[0] == 403
    assert client.value("s:of-another:attempts") == "1"
    bound.close()


def test_the_session_store_also_rejects_an_unknown_host(store):
    client = Client(store)
    assert client.increment("s:hosts:attempts") == 1
    client.headers["Host"] = "evil.example"
    for _ in range(2):
        assert client.increment("s:hosts:attempts") == (400, "unknown_host")
    client.close()
