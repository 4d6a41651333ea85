"""Streams of a running console, as clients in each language read them."""

import base64
import hashlib
import http.client
import json
import re
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack, suppress

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.journeys.console import Console
from tests.journeys.streams import PATIENCE, Listener, assign, deploy, listening, new_key, save

pytestmark = pytest.mark.both_databases

Listen = Callable[..., Listener]


@pytest.fixture
def listen(console: Console):
    with ExitStack() as stack:

        def one(**how):
            listener = stack.enter_context(listening(console, **how))
            assert (listener.status, listener.kind) == (200, "text/event-stream"), how
            return listener

        yield one


@pytest.fixture
def name() -> str:
    return f"b{uuid.uuid4().hex[:12]}"


@pytest.fixture
def env() -> str:
    return f"e{uuid.uuid4().hex[:12]}"


def is_refused_soon(console: Console, key: str) -> bool:
    """Whether a key is rejected soon. It stays cached for a second after its revocation."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        # A request accepted within that second may be cut off before its response.
        with suppress(http.client.RemoteDisconnected), listening(console, key=key) as request:
            if request.status == 401:
                return True
        time.sleep(0.1)
    return False


def python(name, env="production", **more):
    return {"env": env, "bundle_name": name, **more}


def test_a_new_stream_receives_the_deployed_version_byte_for_byte(console, listen, name):
    deploy(console, name)
    status, fetched = console.ask("GET", f"rulesets/{name}/current?env=production")
    assert status == 200
    update = listen(query=python(name)).next("contract_update")
    document = base64.b64decode(update["yaml_bytes"])
    assert document.decode() == fetched["yaml"]
    assert hashlib.sha256(document).hexdigest() == update["revision_hash"]
    for field in ("revision_hash", "signature", "public_key", "version", "name", "env"):
        assert update[field] == fetched[field]
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(update["public_key"]))
    key.verify(base64.b64decode(update["signature"]), document)


def test_an_up_to_date_agent_receives_only_the_next_deployment(console, listen, name):
    deploy(console, name)
    present = listen(query=python(name)).next("contract_update")["revision_hash"]
    listener = listen(query=python(name, policy_version=present))
    behind = listen(query=python(name, policy_version="0" * 64))
    assert behind.next()["version"] == 1
    deploy(console, name, "two")
    first, second = listener.next(), listener.next()
    assert (first["event"], first["version"]) == ("contract_update", 2)
    assert (second["event"], second["name"], second["version"]) == ("ruleset_updated", name, 2)


def test_a_rollback_is_sent_to_open_streams(console, listen, name):
    deploy(console, name)
    deploy(console, name, "two")
    listener = listen(query=python(name))
    assert listener.next("contract_update")["version"] == 2
    body = json.dumps({"version": 1, "env": "production"}).encode()
    assert console.ask("POST", f"contracts/{name}/deployments", body)[0] == 201
    assert listener.next("contract_update")["version"] == 1


def test_a_stream_receives_nothing_about_another_contract_or_environment(
    console, listen, name, env
):
    other = f"{name}-other"
    deploy(console, name)
    deploy(console, other)
    key = new_key(console, env=env)
    elsewhere = listen(key=key, query=python(name, env))
    mine = listen(query=python(name))
    assert mine.next("ruleset_updated")["name"] == name
    deploy(console, other, "two")
    deploy(console, name, "two", env=env)
    assert elsewhere.next("ruleset_updated")["env"] == env
    deploy(console, name, "three")
    update = mine.next()
    assert (update["name"], update["version"]) == (name, 3)
    assert elsewhere.heard() == []


def test_the_contract_format_follows_the_url_prefix_or_the_key(console, listen, name):
    deploy(console, name)
    old_by_key = new_key(console, dialect="old")
    new_by_key = new_key(console, dialect="new")
    for how, kind in (
        ({"path": "/v1/stream"}, b"Ruleset"),
        ({"path": "/api/v1/stream"}, b"ContractBundle"),
        ({"path": "/api/v1/stream", "key": new_by_key}, b"Ruleset"),
        ({"path": "/v1/stream", "key": old_by_key}, b"ContractBundle"),
    ):
        update = listen(query=python(name), **how).next("contract_update")
        document = base64.b64decode(update["yaml_bytes"])
        assert b"kind: " + kind in document
        assert hashlib.sha256(document).hexdigest() == update["revision_hash"]
        assert update["version"] == 1


def test_a_typescript_client_receives_the_names_of_all_contracts(console, listen, name, env):
    key = new_key(console, env=env)
    deploy(console, name, env=env)
    deploy(console, f"{name}-2", env=env)
    listener = listen(key=key)
    now = [listener.next() for _ in range(2)]
    assert [(each["event"], each["name"]) for each in now] == [
        ("ruleset_updated", name),
        ("ruleset_updated", f"{name}-2"),
    ]
    version = deploy(console, name, "two", env=env)
    notice = listener.next()
    assert (notice["event"], notice["name"]) == ("ruleset_updated", name)
    assert notice["version"] == version
    assert isinstance(notice["version"], int)


def test_a_go_client_can_parse_each_event_from_two_lines(console, listen, name, env):
    key = new_key(console, env=env)
    listener = listen(key=key, query={"env": env})
    deploy(console, name, env=env)
    assign(console, name, env=env)
    listener.next("assignment_changed")
    flagged = listener.next("contract_update")
    assert flagged["_assignment_changed"] is True
    assert flagged["bundle_name"] == name
    deploy(console, name, "two", env=env)
    update = listener.next("contract_update")
    assert "_assignment_changed" not in update
    listener.next("ruleset_updated")
    shape = re.compile(r"(event: [a-z_]+|data: \{.*\}|: .*|)")
    assert all(shape.fullmatch(line) for line in listener.lines)
    assert max(map(len, listener.lines)) < 1_000_000


def test_a_contract_of_the_largest_size_is_sent_in_one_line(console, listen, name):
    long = "m" * 490
    text = "".join(
        f"  - {{id: r{n}, type: pre, tool: shell, when: {{args.a: {{equals: {n}}}}}, "
        f'then: {{action: block, message: "{long}"}}}}\n'
        for n in range(700)
    )
    complete = f"apiVersion: edictum/v1\nkind: Ruleset\nmetadata: {{name: {name}}}\n"
    complete += "defaults: {mode: enforce}\nrules:\n" + text
    complete += "#" * (512 * 1024 - len(complete))
    status, answer = console.ask("POST", "contracts", json.dumps({"yaml": complete}).encode())
    assert status == 201, answer
    body = json.dumps({"version": 1, "env": "production"}).encode()
    assert console.ask("POST", f"contracts/{name}/deployments", body)[0] == 201
    for path in ("/v1/stream", "/api/v1/stream"):
        listener = listen(query=python(name), path=path)
        update = listener.next("contract_update")
        assert len(base64.b64decode(update["yaml_bytes"])) > 500_000
        assert max(map(len, listener.lines)) < 1_000_000


def test_an_agent_without_a_named_contract_follows_its_assignment(console, listen, name, env):
    key, safe, strict = new_key(console, env=env), f"{name}-safe", f"{name}-strict"
    for each in (safe, strict):
        deploy(console, each, env=env)
    waiting = listen(key=key, agent="bot", query={"env": env, "tags": '{"team": "pay"}'})
    other = listen(key=key, agent="other", query={"env": env})
    assign(console, safe, env=env)
    assert waiting.next()["bundle_name"] == safe
    assert other.next()["bundle_name"] == safe
    assign(console, strict, env=env, tags={"team": "pay"})
    assert waiting.next("assignment_changed")["bundle_name"] == strict
    assert waiting.next("ruleset_updated")["name"] == strict
    deploy(console, strict, "two", env=env)
    update = waiting.next()
    assert (update["event"], update["name"], update["version"]) == ("contract_update", strict, 2)
    assert other.next("ruleset_updated")["name"] == safe
    assert other.heard() == []


def test_a_reconnecting_agent_is_reassigned_but_an_explicit_choice_stays(
    console, listen, name, env
):
    key, safe, strict = new_key(console, env=env), f"{name}-safe", f"{name}-strict"
    for each in (safe, strict):
        deploy(console, each, env=env)
    assign(console, safe, env=env)
    first = listen(key=key, agent="bot", query={"env": env})
    assert first.next("assignment_changed")["bundle_name"] == safe
    revision = first.next("contract_update")["revision_hash"]
    first.close()
    back = listen(key=key, agent="bot", query=python(safe, env, policy_version=revision))
    chooses = listen(key=key, agent="chooser", query=python(safe, env, policy_version=revision))
    assign(console, strict, env=env)
    assert back.next()["bundle_name"] == strict
    again = listen(key=key, agent="bot", query=python(safe, env, policy_version=revision))
    assert again.next("assignment_changed")["bundle_name"] == strict
    deploy(console, safe, "two", env=env)
    assert chooses.next("contract_update")["name"] == safe


def test_a_key_for_assigned_contracts_only_cannot_choose_another(console, listen, name, env):
    key, safe, lax = new_key(console, env=env, assigned_only=True), f"{name}-s", f"{name}-lax"
    for each in (safe, lax):
        deploy(console, each, env=env)
    assign(console, safe, env=env)
    with listening(console, key=key, query=python(lax, env)) as refused:
        assert (refused.status, refused.kind) == (404, "application/json")
    chosen = listen(key=key, query=python(safe, env))
    assert chosen.next("contract_update")["name"] == safe
    assign(console, lax, env=env)
    assert chosen.next("assignment_changed")["bundle_name"] == lax


def test_rejected_streams_return_json(console, name, env):
    deploy(console, name, env=env)
    save(console, f"{name}-kept")
    ingest = new_key(console, scopes=["ingest"])
    for status, how in (
        (401, {"key": "edk_production_" + "0" * 40}),
        (403, {"key": ingest}),
        (403, {"query": python(name, "elsewhere")}),
        (404, {"query": python(f"{name}-unknown")}),
    ):
        for path in ("/v1/stream", "/api/v1/stream"):
            with listening(console, path=path, **how) as refused:
                assert (refused.status, refused.kind) == (status, "application/json")
                assert set(refused.refusal()) == {"code", "detail", "errors"}


def test_a_stream_waits_for_a_saved_contract_to_be_deployed(console, listen, name):
    save(console, name)
    listener = listen(query=python(name))
    deploy(console, name)
    assert listener.next("contract_update")["version"] == 1


def test_rotating_the_signing_key_sends_signed_contracts_to_connected_agents(console, listen, name):
    deploy(console, name)
    listener = listen(query=python(name))
    before = listener.next("contract_update")
    listener.next("ruleset_updated")
    status, rotated = console.ask("POST", "signing-key/rotations")
    assert status in (200, 201), rotated
    after = listener.next("contract_update")
    assert after["public_key"] == rotated["public_key"] != before["public_key"]
    assert after["yaml_bytes"] == before["yaml_bytes"]


def test_the_stream_of_a_revoked_key_is_closed(console, listen, name):
    deploy(console, name)
    body = json.dumps({"name": "k", "env": "production", "scopes": ["agent"]}).encode()
    _, made = console.ask("POST", "keys", body)
    ends, stays = listen(key=made["key"], query=python(name)), listen(query=python(name))
    ends.next()
    assert console.ask("DELETE", f"keys/{made['id']}")[0] == 200
    assert ends.ends()
    assert is_refused_soon(console, made["key"])
    deploy(console, name, "two")
    stays.next("ruleset_updated")
    assert stays.next("contract_update")["version"] == 2
