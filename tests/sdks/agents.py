"""Runs the scenario program on all SDK versions concurrently, and collects the results."""

import json
import os
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.journeys.console import KEY, Console
from tests.sdks.environments import ROOT, python_of

OLDEST, NEWEST = "0.12.2", "0.19.0"
ALL = (OLDEST, "0.13.0", "0.15.0", "0.16.0", "0.17.0", "0.18.0", NEWEST)
# One version per generation, and only the newest on PostgreSQL, since agents can't tell which
# database is used. `make test-sdks` runs all versions on both.
FEW = (NEWEST,) if os.environ.get("DATABASE_URL") else (OLDEST, "0.15.0", "0.17.0", NEWEST)
VERSIONS = ALL if os.environ.get("SDKS") == "all" else FEW
PATIENCE = 300.0  # seconds for one program on a busy machine


def minor(version: str) -> int:
    return int(version.split(".")[1])


class Agents:
    def __init__(self, console: Console) -> None:
        self.console = console
        self._public_key = answer_of(console, "GET", "signing-key")["public_key"]
        self._started: list[subprocess.Popen[str]] = []
        pool = ThreadPoolExecutor(len(VERSIONS))  # the number of cores limits them anyway
        self._runs: dict[str, Future[dict[str, Any]]] = {
            version: pool.submit(self._run, version) for version in VERSIONS
        }
        pool.shutdown(wait=False)

    def answer_of(self, version: str, scenario: str) -> Any:
        """Facts of a scenario; fails the test with its error, or skips it without a registry."""
        result = self._runs[version].result().get(scenario)
        assert result is not None, f"{version} has no scenario {scenario}"
        assert "error" not in result, result["error"]
        return result["facts"]

    def end(self) -> None:
        """Kill programs whose results no test needed, because the console is about to stop."""
        for process in self._started:
            if process.poll() is None:
                process.kill()

    def _run(self, version: str) -> dict[str, Any]:
        python = python_of(version)
        # This SDK version requests the old endpoint but expects the new contract format.
        dialect = {"dialect": "new"} if minor(version) == 17 else {}
        key = a_key(self.console, version, **dialect)
        process = subprocess.Popen(
            [str(python), "-m", "tests.sdks.programs.scenarios", version],
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "CONSOLE_URL": self.console.url,
                "AGENT_KEY": key,
                "OPERATOR_KEY": KEY,
                "PUBLIC_KEY": self._public_key,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        words, complaints = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, complaints
        lines = [json.loads(line) for line in words.splitlines() if line.startswith("{")]
        return {line["scenario"]: line for line in lines}


def a_key(console: Console, name: str, **fields: Any) -> str:
    expected = {"name": name, "env": "production", "scopes": ["agent"], **fields}
    return str(answer_of(console, "POST", "keys", **expected)["key"])


def deploy(console: Console, text: str, *, env: str = "production") -> dict[str, Any]:
    version = answer_of(console, "POST", "contracts", yaml=text)
    path = f"contracts/{version['name']}/deployments"
    answer_of(console, "POST", path, version=version["version"], env=env)
    return version


def answer_of(console: Console, method: str, path: str, **body: Any) -> dict[str, Any]:
    status, answer = console.ask(method, path, json.dumps(body).encode() if body else None)
    assert status in (200, 201), answer
    result: dict[str, Any] = answer
    return result
