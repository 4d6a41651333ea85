"""`python -m bench.hotspots`: what settling costs per item, and what it is spent on.

Posts while the worker is stopped, then settles in a process of its own that is looked at meanwhile.
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import django

from bench.governing import deploy
from bench.machine import ROOT
from bench.parts import POSTING, workload
from bench.posting import agents
from bench.recount import faults_in
from bench.sampler import Sampler
from bench.site import Site, site
from bench.stores import store

SHOWN = 30


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.hotspots", description=__doc__)
    options.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--items", type=int, default=60_000)
    options.add_argument("--batch", type=int, default=500)
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="edictum-hotspots-") as folder,
        store(chosen.store, Path(folder)) as where,
        site(where) as running,
    ):
        deploy(running)
        return _looked_at(running, chosen.items, chosen.batch)


def _looked_at(running: Site, items: int, batch: int) -> int:
    load = workload(items, batch=batch, clients=4)
    with agents(running, load, seconds=POSTING) as ready, running.worker_stopped():
        result = ready.go()
        variables = running.store.variables_of_a_process
        command = [sys.executable, "-m", "bench.hotspots", "settle"]
        subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True)
    faults = [*result.failures, *faults_in(running.store, load, result.posted)]
    print("recount:", "; ".join(faults) or "exact")
    return int(bool(faults))


class Collector:
    """Garbage collector time. In the profile, it is attributed to the allocating function."""

    def __init__(self) -> None:
        self.seconds, self.full = 0.0, 0
        self._began = 0.0

    def note(self, phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.process_time()
        else:
            self.seconds += time.process_time() - self._began
            self.full += about["generation"] == 2


def settle() -> None:
    django.setup()
    from outcomes.settling.decode import Ahead  # noqa: PLC0415 - after Django has been set up
    from outcomes.settling.settle import settle_inbox  # noqa: PLC0415 - after Django has been set up

    settle_inbox()  # warms up names, queries and caches
    sampler, collector, items = Sampler(), Collector(), 0
    gc.callbacks.append(collector.note)
    wall, processor = time.perf_counter(), time.process_time()
    with sampler.looking(), Ahead() as ahead:
        while settled := settle_inbox(ahead):
            items += settled
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    micro = 1e6 / max(1, items)
    print(
        f"{items:,} items, {items / wall:,.0f} items/s; {wall * micro:.1f} µs per item,"
        f" of it processor {processor * micro:.1f},"
        f" garbage collector {collector.seconds * micro:.1f} ({collector.full} full collections)"
    )
    one = processor / max(1, sampler.samples) * micro
    for title, counts in (
        ("own µs per item, with the C functions called", sampler.own),
        ("µs per item with all that is called", sampler.within),
        ("µs per item, by line", sampler.lines),
    ):
        _show(title, counts, one, sampler.samples)


def _show(title: str, counts: Counter[str], one: float, samples: int) -> None:
    print(f"\n{title}, of {samples} looks")
    for name, times in counts.most_common(SHOWN):
        print(f"{times * one:8.2f} {times / samples:6.1%}  {name}")


if __name__ == "__main__":
    if sys.argv[1:] == ["settle"]:
        settle()
    else:
        sys.exit(main())
