"""Long waits poll less often, and no request waits longer than requested."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from governance.core.actor import CONSOLE
from governance.people.auth import forget_keys
from governance.people.commands.keys import revoke_key
from governance.people.commands.people import remove_member
from outcomes.jobs.api import LONGEST_PAUSE, PAUSE, pause
from tests import builders
from tests.items import an_outcome
from tests.outcomes.posting import Agent, settle


class CutShort:
    """Stand-in for the server's shutdown event that runs a function while the request waits."""

    def __init__(self, meanwhile: Callable[[], None], *, is_set: bool) -> None:
        self._meanwhile, self._is_set = meanwhile, is_set

    def wait(self, seconds: float) -> bool:
        self._meanwhile()
        return self._is_set


def in_the_first_pause(meanwhile: Callable[[], None], *, cut: bool = False) -> dict[str, Any]:
    return {"edictum.cut_short": CutShort(meanwhile, is_set=cut)}


@pytest.mark.parametrize(
    ("waited", "of", "seconds"),
    [(0.0, 5, PAUSE), (0.4, 5, 0.1), (20.0, 30, LONGEST_PAUSE), (4.9, 5, pytest.approx(0.1))],
)
def test_the_polling_interval_grows_but_never_exceeds_the_remaining_wait(waited, of, seconds):
    assert pause(waited=waited, of=of) == seconds


def test_a_response_waits_until_earlier_posts_are_processed(agent):
    agent.send("outcomes", json.dumps({"outcomes": [an_outcome("c-1")]}).encode())
    response = agent.client.get("/v1/outcomes?wait=20", **in_the_first_pause(settle))
    assert (response.json()["settled"], len(response.json()["outcomes"])) == (True, 1)


def test_an_interrupted_wait_returns_settled_false(agent):
    agent.send("outcomes", json.dumps({"outcomes": [an_outcome("c-1")]}).encode())
    cut = in_the_first_pause(lambda: None, cut=True)
    response = agent.client.get("/v1/outcomes?wait=20", **cut)
    assert (response.status_code, response.json()["settled"]) == (200, False)


def test_a_key_revoked_during_a_wait_is_rejected(project):
    text, key = builders.a_key(project, "ingest", "read")
    agent = Agent(builders.bearing(text))
    agent.send("outcomes", json.dumps({"outcomes": [an_outcome("c-1")]}).encode())

    def revoke() -> None:
        revoke_key(key, by=CONSOLE)
        forget_keys()
        settle()

    response = agent.client.get("/v1/outcomes/c-1?wait=20", **in_the_first_pause(revoke))
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")


def test_a_member_removed_during_a_wait_is_rejected(project, agent):
    member = builders.a_member(project)
    agent.send("outcomes", json.dumps({"outcomes": [an_outcome("c-1")]}).encode())

    def remove() -> None:
        remove_member(member, by=CONSOLE)
        settle()

    browser = builders.signed_in(member.user)
    response = browser.get("/v1/outcomes/c-1?wait=20", **in_the_first_pause(remove))
    assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
