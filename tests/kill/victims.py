"""Kills processes of a running product and waits for their successors."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path

from edictum_site.stack.running import Product
from tests.kill.posting import Broken
from tests.ports import free_port

CHILDREN = ("worker", "jobs", "redis", "web")
SUPERVISOR = "supervisor"
ALL = (*CHILDREN, SUPERVISOR)
TO_RETURN = 180.0  # seconds


class Victim:
    """Product that keeps its port across restarts."""

    def __init__(self, data: Path, variables: Mapping[str, str]) -> None:
        self.data = data
        self.port = free_port()
        self._variables = {**variables, "HOST": "127.0.0.1", "PORT": str(self.port)}
        self.product = self._started()

    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    def kill(self, name: str) -> None:
        """Kill a process with SIGKILL and wait until its successor runs."""
        if name == SUPERVISOR:
            self.product.process.kill()
            self.product.process.wait()
            self.product = self._started()
            return
        number = self._child(name)
        os.kill(number, signal.SIGKILL)
        until = time.monotonic() + TO_RETURN
        while self.product.children.get(name) == number:
            _refuse_late(until, name)
            time.sleep(0.02)

    def stop(self) -> None:
        self.product.stop()

    def _started(self) -> Product:
        product = Product(self.data, self._variables)
        try:
            return product.wait_until_served()
        except BaseException:
            product.stop()
            raise

    def _child(self, name: str) -> int:
        """Process ID of a child of this supervisor, verified because pid files may be stale."""
        until = time.monotonic() + TO_RETURN
        while True:
            number = self.product.children.get(name, 0)
            if number and _parent_of(number) == self.product.process.pid:
                return number
            _refuse_late(until, name)
            time.sleep(0.02)


def _parent_of(number: int) -> int:
    try:
        stat = Path(f"/proc/{number}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def _refuse_late(until: float, name: str) -> None:
    if time.monotonic() > until:
        raise Broken(f"{name} did not come back")
