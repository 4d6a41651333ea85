"""Process trees and CPU use on this machine, from /proc."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    ticks: int  # its own
    ticks_of_ended: int  # of its exited children


def processes() -> dict[int, Process]:
    counted = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "stat").read_text()
        except OSError:  # it has exited meanwhile
            continue
        fields = text[text.rindex(")") + 2 :].split()
        pid = int(folder.name)
        counted[pid] = Process(
            pid,
            int(fields[1]),
            int(fields[11]) + int(fields[12]),
            int(fields[13]) + int(fields[14]),
        )
    return counted


def family(root: int, among: Mapping[int, Process]) -> list[Process]:
    """A process and all its descendants."""
    members = [among[root]] if root in among else []
    for member in members:
        members += [each for each in among.values() if each.parent == member.pid]
    return members


def cpu_seconds(pid: int) -> float:
    """CPU time of one process, without its children."""
    return processes()[pid].ticks / _TICKS


class CpuMeter:
    """Cores used by named processes, and by all other processes of the machine."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        # Trees can nest: a named process is not counted with the process that started it.
        outer = {"supervisor": roots["supervisor"], "bench": os.getpid()}
        self._roots = {name: root for name, root in roots.items() if name not in outer} | outer
        self._outer = outer.keys()
        self.began = time.monotonic()
        self._before = self._ticks()

    def read(self) -> dict[str, float]:
        seconds = max(time.monotonic() - self.began, 0.01)
        return {name: round(used / seconds, 2) for name, used in self.seconds().items()}

    def seconds(self) -> dict[str, float]:
        """CPU time by name since the meter was created."""
        used = {
            name: (ticks - self._before.get(name, 0)) / _TICKS
            for name, ticks in self._ticks().items()
        }
        used["others"] = max(0.0, used.pop("all") - sum(used.values()))
        return used

    def _ticks(self) -> dict[str, int]:
        there = processes()
        ticks = {"all": _busy_ticks()}
        used: set[int] = set()
        for name, root in self._roots.items():
            members = [each for each in family(root, there) if each.pid not in used]
            used.update(each.pid for each in members)
            ticks[name] = sum(each.ticks for each in members) + (
                there[root].ticks_of_ended if root in there and name not in self._outer else 0
            )
        return ticks


def _busy_ticks() -> int:
    user, nice, system, _idle, _wait, irq, softirq, steal = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    return user + nice + system + irq + softirq + steal
