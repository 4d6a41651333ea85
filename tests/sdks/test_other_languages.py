"""TypeScript and Go clients, and Python's Gate, get the responses they expect.

Their traffic is in fixtures based on the wire reference, so nothing has to be installed."""

import json
from typing import Any

import pytest

from tests.journeys.console import Console
from tests.sdks.environments import ROOT
from tests.sdks.replay import Client

FIXTURES = ROOT / "tests" / "sdks" / "fixtures"
FILES = sorted(FIXTURES.glob("*.json"))


@pytest.fixture(params=FILES, ids=[file.stem for file in FILES])
def written(request: pytest.FixtureRequest) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request.param.read_text())
    return body


def test_a_client_is_answered_as_it_expects_and_understood(
    console: Console, written: dict[str, Any]
) -> None:
    client = Client(console, written)
    client.deploy()
    for exchange in written["exchanges"]:
        client.say(exchange)
    for stream in written["streams"]:
        client.listen(stream)

    recorded = client.recorded()
    fields = set().union(*written["events"])
    assert [{name: event[name] for name in fields} for event in recorded] == written["events"]
    calls = client.calls()
    for call_id, awaited in written["calls"].items():
        assert {name: calls[call_id][name] for name in awaited} == awaited
