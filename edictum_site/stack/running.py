"""Start the product as users do and inspect its processes: for tests, load and kill drills."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from edictum_site.program.place import BASE, program

TO_START = 180.0  # seconds, enough for a busy machine
TO_STOP = 90.0


class NotStarted(Exception):
    """The start failed; the message has its output."""


class Product:
    """A running product. `role` is `up`, or a host's role with its arguments; `before` is a command
    prefix. `root` is the checkout to run, unless `start` gives another command."""

    def __init__(
        self,
        data: Path,
        variables: Mapping[str, str],
        *,
        role: Sequence[str] = ("up",),
        note: str = "up.json",
        before: Sequence[str] = (),
        root: Path = BASE,
        start: Sequence[str] = (),
    ) -> None:
        data.mkdir(parents=True, exist_ok=True)
        self.data = data
        self._note = data / note
        self._output = self._note.with_suffix(".out")
        env = os.environ | {"PORT": "0", **variables, "EDICTUM_SITE_DATA": str(data)}
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [*before, *(start or program(root)), *role],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
            )

    @property
    def note(self) -> dict[str, Any]:
        """State written by the supervisor: pid, url, serving, children by name."""
        try:
            note: dict[str, Any] = json.loads(self._note.read_text())
        except FileNotFoundError:
            return {}
        return note if note["pid"] == self.process.pid else {}

    @property
    def url(self) -> str:
        return str(self.note["url"])

    @property
    def children(self) -> dict[str, int]:
        return dict(self.note.get("children", {}))

    @property
    def output(self) -> str:
        return self._output.read_text()

    def wait_until_served(self) -> "Product":
        deadline = time.monotonic() + TO_START
        while not self.note.get("serving"):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise NotStarted(self.output)
            time.sleep(0.02)
        return self

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(TO_STOP)


@contextmanager
def product(data: Path, variables: Mapping[str, str] | None = None) -> Iterator[Product]:
    """All processes of the product, on this data folder and, unless PORT is given, a free port."""
    running = Product(data, variables or {})
    try:
        yield running.wait_until_served()
    finally:
        running.stop()
