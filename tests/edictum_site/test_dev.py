"""`make dev`: debug mode, and new code without a manual restart."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from edictum_site.program.place import BASE
from edictum_site.stack.running import TO_START, TO_STOP


class Dev:
    """`make dev` with a data folder and a source folder of the test."""

    def __init__(self, data: Path, sources: Path) -> None:
        self.sources = sources
        self._note = data / "up.json"
        variables = {"DATABASE_URL": "", "REDIS_URL": "", "PORT": "0"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "edictum_site.stack.dev", str(sources)],
            cwd=BASE,
            env=os.environ | variables | {"EDICTUM_SITE_DATA": str(data)},
        )

    @property
    def note(self) -> dict[str, Any]:
        return json.loads(self._note.read_text()) if self._note.exists() else {}

    def status(self, path: str) -> int:
        connection = http.client.HTTPConnection(self.note["url"].removeprefix("http://"))
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        finally:
            connection.close()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + TO_START
        while not condition():
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Dev]:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "feature.py").write_text("LIMIT = 1\n")
    running = Dev(tmp_path / "data", sources)
    try:
        running.wait_until(lambda: bool(running.note.get("serving")))
        yield running
    finally:
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(TO_STOP)


def test_a_changed_module_restarts_web_and_worker_and_debug_pages_are_served(dev):
    before = dev.note["children"]
    assert dev.status("/components/") == 200

    (dev.sources / "feature.py").write_text("LIMIT = 2\nOTHER = 3\n")

    def both_are_new() -> bool:
        now = dev.note.get("children", {})
        return all(now.get(name, before[name]) != before[name] for name in ("web", "worker"))

    dev.wait_until(both_are_new)
    assert dev.note["children"]["redis"] == before["redis"]
    assert dev.status("/components/") == 200
