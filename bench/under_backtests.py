"""Measures settling lag while backtests replay recorded calls."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bench import parts
from bench.backtests import Recorded, ask, started
from bench.parts import Part
from bench.site import Site
from bench.workload import Workload

AHEAD = 2  # backtests started ahead, so that one always runs
LOOKED_EVERY = 0.1  # seconds


@dataclass(slots=True)
class Replayed:
    calls: int = 0
    faults: list[str] = field(default_factory=list)


def lag_under_backtests(site: Site, load: Workload, posted: Recorded, *, per_second: int) -> Part:
    """Lag at the same steady rate as without backtests."""
    with _replaying(site, posted) as replayed:
        part = parts.lag(site, load, per_second=per_second)
    part.name = "lag beside backtests"
    part.how += f", {replayed.calls:,} calls replayed meanwhile"
    part.faults += replayed.faults
    if not replayed.calls:
        part.faults.append("nothing was replayed meanwhile")
    return part


@contextmanager
def _replaying(site: Site, posted: Recorded) -> Iterator[Replayed]:
    """Run backtests one after the other until the block ends, then cancel the rest."""
    replayed, ended = Replayed(), threading.Event()
    thread = threading.Thread(target=_replay, args=(site, posted, replayed, ended))
    thread.start()
    try:
        yield replayed
    finally:
        ended.set()
        thread.join()


def _replay(site: Site, posted: Recorded, replayed: Replayed, ended: threading.Event) -> None:
    waiting: list[int] = []
    while not ended.is_set():
        while len(waiting) < AHEAD:
            waiting.append(started(site, posted))
        result = ask(site, "GET", f"/v1/contracts/backtests/{waiting[0]}")
        if result["status"] == "done":
            replayed.calls += result["calls"]
        elif result["status"] not in ("queued", "running"):
            replayed.faults.append(f"A backtest {result['status']}: {result['error']}")
            break
        else:
            ended.wait(LOOKED_EVERY)
            continue
        del waiting[0]
    for number in waiting:
        given_up = ask(site, "DELETE", f"/v1/contracts/backtests/{number}")
        replayed.calls += given_up["calls"]
