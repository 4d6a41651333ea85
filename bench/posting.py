"""Starts the agents of a bench, ready to post on command."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from bench.agent import Order, Result, Watch
from bench.machine import ROOT
from bench.site import Site
from bench.workload import Workload


class AgentsFailed(Exception):
    """The posting process ended without a result."""


class Agents:
    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def go(self) -> Result:
        self.send_line(b"go\n")
        return msgspec.json.decode(self.hear(), type=Result)

    def send_line(self, line: bytes) -> None:
        assert self.process.stdin  # noqa: S101 - it was made with a pipe
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self) -> bytes:
        assert self.process.stdout  # noqa: S101 - it was made with a pipe
        line = self.process.stdout.readline()
        if not line:
            raise AgentsFailed(f"The posting process ended with code {self.process.wait(10)}.")
        return line


@contextmanager
def agents(
    site: Site, load: Workload, *, seconds: float, every: float = 0, watch: bool = False
) -> Iterator[Agents]:
    """Start agents, and yield them once all bodies are built and all connections are open."""
    host, port = site.address
    inbox = Watch(site.store.name, str(site.store.data), site.store.url) if watch else None
    order = Order(host, port, site.key, load, seconds, every, inbox)
    with started("bench.agent", order) as ready:
        yield ready


@contextmanager
def started(module: str, order: msgspec.Struct) -> Iterator[Agents]:
    """Start a separate process, and yield it once it has read its order and waits for a line."""
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    ready = Agents(process)
    try:
        ready.send_line(msgspec.json.encode(order) + b"\n")
        ready.hear()
        yield ready
    finally:
        process.kill()
        process.communicate()
