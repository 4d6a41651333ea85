"""A key is created, used and revoked on the pages."""

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from tests.items import an_outcome
from tests.journeys.streams import PATIENCE

pytestmark = pytest.mark.both_databases


def test_a_key_is_displayed_once_and_stops_working_when_revoked(console, admin):
    admin.goto(f"{console.url}/p/default/settings/keys/new/")
    admin.get_by_role("textbox", name="Name").fill("the journey's agent")
    admin.locator("main").get_by_label("Environment").fill("staging")
    admin.get_by_role("button", name="Create key").click()
    key = admin.locator("#new-key").inner_text()
    assert key.startswith("edk_staging_")
    assert console.post(an_outcome("from-staging"), key=key)["accepted"] == 1
    assert console.settled("outcomes/from-staging")["environment"] == "staging"

    admin.get_by_role("link", name="Done").click()
    row = admin.get_by_role("row").filter(has_text="the journey's agent")
    expect(row).to_be_visible()
    assert key not in admin.content()
    row.get_by_role("link", name="Revoke").click()
    admin.get_by_role("button", name="Revoke the journey's agent").click()
    expect(admin.get_by_role("row").filter(has_text="the journey's agent")).to_contain_text(
        "evoked"
    )
    until = time.monotonic() + PATIENCE
    while console.ask("POST", "outcomes", b'{"outcomes": []}', key)[0] != 401:
        assert time.monotonic() < until, "the key still works"
        time.sleep(0.1)


def test_a_waiting_request_is_rejected_when_its_key_is_revoked(console):
    fields = {"name": "reader", "env": "production", "scopes": ["ingest", "read"]}
    status, made = console.ask("POST", "keys", json.dumps(fields).encode())
    assert status == 201
    worker = console.product.children["worker"]
    # Nothing is processed from here on, so a waiting request keeps waiting.
    os.kill(worker, signal.SIGSTOP)
    try:
        console.post(an_outcome("never-told"), key=made["key"])
        with ThreadPoolExecutor(1) as other:
            path = "outcomes/never-told?wait=30"
            answer = other.submit(console.ask, "GET", path, None, made["key"])
            with pytest.raises(TimeoutError):
                answer.result(timeout=1)
            assert console.ask("DELETE", f"keys/{made['id']}")[0] in (200, 204)
            assert answer.result(timeout=120)[0] == 401
    finally:
        os.kill(worker, signal.SIGCONT)
