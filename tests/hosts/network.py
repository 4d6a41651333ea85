"""Simulates hosts as network namespaces on one machine, connected by a bridge.

The drill runs in its own namespace, so it doesn't affect the machine's network, and everything is
removed when the drill ends, even after a crash.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

BRIDGE: Final = "hosts"
HUB: Final = "10.213.0.1"
_TOOLS: Final = ("ip", "unshare", "nsenter")


class Host:
    """Network namespace, kept alive by a sleeping process, with a virtual cable to the bridge."""

    def __init__(self, number: int) -> None:
        self.address = f"10.213.0.{number + 10}"
        self.cable = f"host{number}"
        holder = ["unshare", "--net", "sleep", "3600"]
        self._holder = subprocess.Popen(holder, stdin=subprocess.DEVNULL)
        _wait_for_own_namespace(self._holder.pid)
        self.inside = ("nsenter", f"--net=/proc/{self._holder.pid}/ns/net")
        self._plug_in()

    def _plug_in(self) -> None:
        pid = str(self._holder.pid)
        _ip("link", "add", self.cable, "type", "veth", "peer", "name", "eth0", "netns", pid)
        _ip("link", "set", self.cable, "master", BRIDGE, "up")
        for command in (
            ("link", "set", "lo", "up"),
            ("address", "add", f"{self.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
        ):
            subprocess.run([*self.inside, "ip", *command], check=True)

    def cut_off(self) -> None:
        _ip("link", "set", self.cable, "down")

    def connect(self) -> None:
        _ip("link", "set", self.cable, "up")

    def remove(self) -> None:
        self._holder.kill()
        self._holder.wait()


def _wait_for_own_namespace(pid: int) -> None:
    ours = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{pid}/ns/net") == ours:
        pass


@contextmanager
def bridged(number: int) -> Iterator[list[Host]]:
    """Hosts on one bridge, with this process at the hub address."""
    _ip("link", "set", "lo", "up")
    _ip("link", "add", BRIDGE, "type", "bridge")
    _ip("address", "add", f"{HUB}/24", "dev", BRIDGE)
    _ip("link", "set", BRIDGE, "up")
    hosts: list[Host] = []
    try:
        hosts.extend(Host(each) for each in range(number))
        yield hosts
    finally:
        for host in hosts:
            host.remove()


def why_not() -> str:
    """Reason why this machine cannot create network namespaces; empty if it can."""
    if sys.platform != "linux":
        return "network namespaces exist on Linux only"
    if missing := [each for each in _TOOLS if not shutil.which(each)]:
        return f"{missing[0]} is not installed (iproute2, util-linux)"
    bridge = ["ip", "link", "add", BRIDGE, "type", "bridge"]
    tried = subprocess.run(["unshare", "--net", *bridge], capture_output=True, text=True)
    return "" if tried.returncode == 0 else f"no network namespaces here: {tried.stderr.strip()}"


def _ip(*command: str) -> None:
    subprocess.run(["ip", *command], check=True)
