"""A thousand calls of the real SDK over an unreliable connection: none is lost or duplicated."""

import json
import os
import subprocess
import uuid
from collections import Counter
from typing import Any

import pytest

from tests.journeys.console import Console
from tests.sdks.agents import NEWEST, PATIENCE, a_key
from tests.sdks.environments import ROOT, python_of

pytestmark = pytest.mark.slow  # runs agents in separate environments

CALLS = 1_000
# The newest SDK uses old action names internally and new ones on the wire.
ON_THE_WIRE = {"call_denied": "call_blocked", "call_would_deny": "call_would_block"}


def run(console: Console, agent: str, session: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(python_of(NEWEST)), "-m", "tests.sdks.programs.thousand_calls", agent, session],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "CONSOLE_URL": console.url,
            "AGENT_KEY": a_key(console, agent),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    body: dict[str, Any] = json.loads(done.stdout)
    return body


def test_every_event_is_stored_once_and_every_call_has_its_one_outcome(console: Console) -> None:
    agent = f"busy-{uuid.uuid4().hex[:8]}"
    session = f"{agent}-session"
    answer = run(console, agent, session)
    assert len(answer["ended"]) == CALLS
    assert Counter(answer["ended"]) == {"success": 500, "failure": 334, "denied": 166}

    assert answer["lost"] > 0  # these batches were sent twice

    made = Counter((call, ON_THE_WIRE.get(action, action)) for call, action, _ in answer["events"])
    assert set(made.values()) == {1}
    stored: Counter[tuple[str, str]] = Counter()
    for number in range(CALLS // 25):
        result = console.settled(f"events?session_id={session}-{number}&limit=1000")["events"]
        stored.update((event["call_id"], event["action"]) for event in result)
    assert stored == made

    calls = list(calls_of(console, agent))
    number_of = {call: number for call, _, number in answer["events"]}
    assert Counter(call["call_id"] for call in calls) == Counter(number_of.keys())
    for call in calls:
        number = number_of[call["call_id"]]
        assert call["tool_args"]["number"] == number
        assert outcome_of(call) == answer["ended"][number]
        assert call["would_deny"] == (call["tool_name"] == "watched")
        assert call["session_id"] == f"{session}-{number // 25}"
        assert call["conflict"] is False


def calls_of(console: Console, agent: str) -> Any:
    cursor = ""
    while True:
        result = console.settled(f"outcomes?agent={agent}&limit=300{cursor}")
        yield from result["outcomes"]
        if result["next"] is None:
            return
        cursor = f"&cursor={result['next']}"


def outcome_of(call: dict[str, Any]) -> str:
    if call["type"] == "denied":
        assert (call["reason"], call["verdict"], call["reported"]) == ("contract", None, None)
        return "denied"
    assert call["reported"] == call["verdict"]
    assert call["type"] == {"success": "execution_result", "failure": "failure"}[call["verdict"]]
    return str(call["verdict"])
