"""Who waits long asks seldom, and nobody is left to wait beyond the time that was asked for."""

import json
import time
from types import SimpleNamespace

import pytest

from governance.core.actor import CONSOLE
from governance.people.auth import forget_keys
from governance.people.commands.keys import revoke_key
from outcomes.jobs import api as waiting
from outcomes.jobs.api import LONGEST_PAUSE, PAUSE, NotYet
from tests import builders
from tests.items import an_outcome
from tests.outcomes.posting import Agent, settle


@pytest.mark.parametrize(
    ("waited", "of", "pause"),
    [(0.0, 5, PAUSE), (0.4, 5, 0.1), (20.0, 30, LONGEST_PAUSE), (4.9, 5, pytest.approx(0.1))],
)
def test_the_pause_grows_with_the_wait_and_ends_with_it(waited, of, pause):
    assert NotYet(waited=waited, of=of).pause == pause


def test_a_key_that_ends_while_its_request_waits_is_told_nothing(project, monkeypatch):
    text, key = builders.a_key(project, "ingest", "read")
    agent = Agent(builders.bearing(text))
    agent.send("outcomes", json.dumps({"outcomes": [an_outcome("c-1")]}).encode())

    def meanwhile(_: float) -> None:
        revoke_key(key, by=CONSOLE)
        forget_keys()
        settle()

    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=time.monotonic, sleep=meanwhile))
    response = agent.client.get("/v1/outcomes/c-1?wait=20")
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
