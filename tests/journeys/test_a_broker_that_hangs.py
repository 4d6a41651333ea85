"""The console keeps working while Redis accepts connections but does not respond."""

import os
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.items import an_outcome
from tests.journeys.console import a_session
from tests.journeys.test_stream_processes import until

pytestmark = pytest.mark.both_databases


@pytest.fixture
def redis(console) -> Iterator[int]:
    number = console.product.children["redis"]
    try:
        yield number
    finally:
        os.kill(number, signal.SIGCONT)


def test_posts_processing_and_pages_work_during_and_after_a_redis_hang(console, admin, redis):
    session = a_session()
    os.kill(redis, signal.SIGSTOP)
    for n in range(3):
        console.post(an_outcome(f"{session}-{n}", session_id=session))
        counts = console.settled(f"agent-sessions/{session}")["counts"]
        assert counts["attempts"] == n + 1
    admin.goto(f"{console.url}/p/default/sessions/{session}/")
    expect(admin.locator("main")).to_contain_text(session)
    admin.goto(f"{console.url}/p/default/agents/")
    expect(admin.locator("h1")).to_be_visible()
    assert until(lambda: console.ask("GET", "health")[1]["broker"] == "down")
    os.kill(redis, signal.SIGCONT)
    console.post(an_outcome(f"{session}-after", session_id=session))
    assert console.settled(f"agent-sessions/{session}")["counts"]["attempts"] == 4


def test_a_worker_started_during_a_redis_hang_processes_posts(console, redis):
    session = a_session()
    os.kill(redis, signal.SIGSTOP)
    os.kill(console.product.children["worker"], signal.SIGKILL)
    console.post(an_outcome(session_id=session))
    assert console.settled(f"agent-sessions/{session}")["counts"]["attempts"] == 1
