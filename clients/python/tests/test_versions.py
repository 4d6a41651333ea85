"""The same agent on older versions of edictum, each in a separate environment."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.journeys.console import KEY, Console
from tests.sdks.environments import python_of

pytestmark = pytest.mark.slow  # runs agents in separate environments

HERE = Path(__file__).parent
OLDER = ("0.13.0", "0.15.0", "0.16.0", "0.17.0", "0.18.0")
# Creating an environment takes a while, so only one version runs by default.
VERSIONS = OLDER if os.environ.get("SDKS") == "all" else ("0.15.0",)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_call_has_its_own_result(console: Console, session: str, version: str) -> None:
    contract = HERE / "programs" / ("old.yaml" if version < "0.17" else "new.yaml")
    program = [str(python_of(version)), str(HERE / "programs" / "agent.py")]
    done = subprocess.run(
        [*program, console.url, KEY, session, str(contract)],
        env={**os.environ, "PYTHONPATH": str(HERE.parent / "src")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    answer = console.settled(f"outcomes?session={session}&limit=1000")["outcomes"]
    outcomes = {one["tool_args"]["number"]: one for one in answer}
    assert len(answer) == len(outcomes) == 43
    for number in range(40):
        outcome = outcomes[number]
        if number % 4 == 1:
            assert (outcome["type"], outcome["error"]) == ("failure", f"number {number}")
        else:
            assert outcome["output"] == {"number": number}
        assert outcome["elapsed_ms"] >= number * 7 % 40
    assert outcomes[100]["type"] == "timeout"
    assert outcomes[101]["output"] == "Error: no such table"
    # Under `run()`, 0.13 treats only exceptions as failures; the console uses its own check.
    words = "success" if version == "0.13.0" else "failure"
    assert (outcomes[101]["reported"], outcomes[101]["verdict"]) == (words, "failure")
    assert (outcomes[102]["type"], outcomes[102]["reason"]) == ("denied", "contract")
