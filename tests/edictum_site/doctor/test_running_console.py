"""The doctor on a running console whose processes are killed one by one."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from edictum_site.stack.running import product
from tests.databases import own_database
from tests.edictum_site.backup.installation import Installation


@pytest.fixture
def store() -> Iterator[Mapping[str, str]]:
    with own_database() as variables:
        yield variables


def examined(installation: Installation, code: int) -> dict[str, dict[str, Any]]:
    ran = installation.manage("doctor", "--json")
    assert ran.returncode == code, ran.stdout + ran.stderr
    return {each["check"]: each for each in json.loads(ran.stdout)["checks"]}


def test_a_running_console_has_problems_once_its_workers_or_redis_die(
    store, tmp_path: Path
) -> None:
    console = Installation(tmp_path / "data", store)
    with product(console.data, store) as running:
        checks = examined(console, 0)
        assert {each["state"] for each in checks.values()} <= {"ok", "warning"}
        assert checks["queue settle"]["detail"].startswith("Workers: settle@")
        os.kill(running.process.pid, signal.SIGSTOP)  # would restart them
        try:
            os.killpg(running.children["jobs"], signal.SIGKILL)
            checks = examined(console, 1)
            without = {name for name, each in checks.items() if each["state"] == "problem"}
            assert without == {"queue interactive", "queue bulk"}
            os.kill(running.children["redis"], signal.SIGKILL)
            checks = examined(console, 1)
            assert checks["redis"]["state"] == "problem"
            assert "Redis does not answer" in checks["redis"]["detail"]
        finally:
            os.kill(running.process.pid, signal.SIGCONT)
