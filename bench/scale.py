"""`python -m bench.scale`: what an installation needs for a rate and a number of stored outcomes.

Reads what `make bench` (or `python -m bench.costs`) measured of one outcome, and multiplies. What
is assumed and not measured is a field of `Assumed`, with its value. Prints docs/scale.md's tables.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.machine import ROOT
from bench.queues import Burst, Fleet, Result, simulate

DAY: Final = 86_400
MONTH: Final = 30.4 * DAY
SEARCH: Final = ("outcomes_posting", "outcomes_indexedcall")
FEWEST: Final = 4  # minimum cores per host or node
KIB, GIB, TB = 1024, 1024**3, 10**12
RATES: Final = (12.0, 100.0, 1_000.0, 10_000.0, 100_000.0)
STORED: Final = (10**9, 10**10, 10**11)


@dataclass(frozen=True, slots=True)
class Costs:
    """Measured costs of one outcome of about 1 KB on PostgreSQL."""

    web_us: float
    settle_us: float
    database_us: float
    stored_bytes: float
    index_bytes: float  # the part of stored_bytes that is the search index
    log_bytes: float
    page_writes: float
    connections: float  # of one web process and its workers

    @classmethod
    def of(cls, bench: Mapping[str, Any]) -> "Costs":
        """Costs from a bench's JSON. Raises ValueError if the run was not exact."""
        measured = bench["stores"]["postgres"]["costs"]
        if measured["recount"] != "exact":
            raise ValueError(f"The run was not exact: {measured['recount']}")
        cpu = measured["cpu_us"]
        return cls(
            cpu["web"],
            cpu["worker"] + cpu.get("jobs", 0.0),
            cpu["database"],
            sum(measured["bytes"].values()),
            sum(measured["bytes"].get(name, 0.0) for name in SEARCH),
            measured["wal_bytes"],
            measured["page_writes"],
            measured["connections"],
        )


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions that aren't measured. A larger installation replaces them with its own values."""

    busy: float = 0.6  # maximum utilization of a core, leaving headroom for bursts
    host_cores: int = 16  # per host of web processes and workers
    small_cores: float = 4  # maximum for an installation on one machine
    small_disk: float = 2 * TB
    small_writes: float = 5_000
    node_cores: int = 32  # per PostgreSQL node
    node_memory: float = 256 * GIB
    node_log: float = 150e6  # WAL bytes per second that a node and its standby can sustain
    node_writes: float = 40_000  # 8 KiB writes per second
    node_disk: float = 16 * TB
    outcomes_per_post: float = 50
    outcomes_per_claim: float = 4_000
    indexed_at_random: float = 3  # index pages per outcome that aren't in time order
    index_share: float = 0.4  # share of indexes in the stored bytes
    column_bytes: float = 250  # per outcome in a sorted, compressed column file
    hot_days: float = 30  # kept as rows if older data moves to column files
    core_month: float = 25.0  # US dollars per rented core with its memory
    disk_month: float = 90.0  # US dollars per TB of fast disk; the standby needs the same again
    object_month: float = 22.0  # US dollars per TB of object storage


@dataclass(frozen=True, slots=True)
class Need:
    """Resources of an installation for one rate and a number of stored outcomes."""

    rate: float
    stored: float
    web_cores: float
    settle_cores: float
    database_cores: float
    log_per_s: float
    writes_per_s: float
    flushes_per_s: float
    row_bytes: float
    column_bytes: float
    hosts: int
    nodes: int
    connections: float
    dollars: float
    is_small: bool  # fits on a single machine

    @property
    def step(self) -> str:
        """Smallest architecture that meets this need."""
        if self.column_bytes:
            return "Citus and columns" if self.nodes > 1 else "hosts and columns"
        if self.nodes > 1:
            return "Citus"
        return "one machine" if self.is_small else "hosts"


def need(costs: Costs, rate: float, stored: float, assumed: Assumed | None = None) -> Need:
    a = assumed or Assumed()
    hot = min(stored, rate * DAY * a.hot_days)
    # Keep everything as rows if one node can hold it: a second store adds operational work.
    in_rows = stored if stored * costs.stored_bytes <= a.node_disk else hot
    in_columns = stored - in_rows
    web, settle, database = (
        rate * us / 1e6 / a.busy for us in (costs.web_us, costs.settle_us, costs.database_us)
    )
    log = rate * costs.log_bytes
    writes = rate * (costs.page_writes + a.indexed_at_random * _missed(costs, rate, in_rows, a))
    row_bytes = in_rows * costs.stored_bytes
    nodes = math.ceil(
        max(
            1.0,
            database / a.node_cores,
            log / a.node_log,
            writes / a.node_writes,
            row_bytes / a.node_disk,
        )
    )
    hosts = max(1, math.ceil((web + settle) / a.host_cores))
    column_bytes = in_columns * a.column_bytes
    cores = web + settle + database
    is_small = cores <= a.small_cores and row_bytes <= a.small_disk and writes <= a.small_writes
    node_cores = min(a.node_cores, max(FEWEST, math.ceil(database / nodes)))
    if is_small:
        dollars = a.core_month * max(2.0, cores) + a.disk_month * row_bytes / TB
    else:
        dollars = (
            a.core_month * (max(FEWEST, web + settle) + 2 * nodes * node_cores)
            + a.disk_month * 2 * row_bytes / TB
            + a.object_month * column_bytes / TB
        )
    return Need(
        rate,
        stored,
        web_cores=web,
        settle_cores=settle,
        database_cores=database,
        log_per_s=log,
        writes_per_s=writes,
        flushes_per_s=rate * (1 / a.outcomes_per_post + 1 / a.outcomes_per_claim),
        row_bytes=row_bytes,
        column_bytes=column_bytes,
        hosts=hosts,
        nodes=nodes,
        connections=costs.connections * max(hosts, math.ceil(web), math.ceil(settle)),
        dollars=dollars,
        is_small=is_small and not in_columns,
    )


def largest_rate_of_a_node(costs: Costs, assumed: Assumed | None = None) -> float:
    """Outcomes per second at which a node reaches its first limit: the maximum for one project."""
    a = assumed or Assumed()
    return min(
        a.node_cores * a.busy * 1e6 / costs.database_us,
        a.node_log / costs.log_bytes,
        a.node_writes / costs.page_writes if costs.page_writes else math.inf,
    )


def _missed(costs: Costs, rate: float, rows: float, a: Assumed) -> float:
    """Share of index pages in the newest partition (one day) that must be read from disk."""
    newest = min(rows, rate * DAY) * costs.stored_bytes * a.index_share
    memory = a.node_memory / 2 * max(1.0, rate / largest_rate_of_a_node(costs, a))
    return max(0.0, 1 - memory / newest) if newest else 0.0


def fleet_for(costs: Costs, rate: float, shards: int, *, spare: float = 2.0) -> Fleet:
    """Web processes and workers for a multiple of the rate, limited by what a node can settle."""
    settle = min(spare * rate / shards, largest_rate_of_a_node(costs))
    return Fleet(door=10 * rate, settle=settle, shards=shards, buffers=10_000 * max(100.0, rate))


def bursts(costs: Costs) -> list[tuple[str, Result]]:
    """Simulated queues for each rate during a tenfold one-minute burst; also with skew and jobs."""
    results = []
    for rate in RATES[1:]:
        shards = need(costs, rate, rate * DAY * 30).nodes
        fleet, burst = fleet_for(costs, rate, shards), Burst(rate, 10)
        results.append((f"{rate:,.0f}/s, ten times for a minute", _run(fleet, burst)))
    rate = RATES[2]
    shards = need(costs, rate, rate * DAY * 30).nodes
    long = Burst(rate, 10, lasts=1_800)
    results.append(
        (f"{rate:,.0f}/s, ten times for half an hour", _run(fleet_for(costs, rate, shards), long))
    )
    rate = RATES[-1]
    shards = max(2, need(costs, rate, rate * DAY * 30).nodes)
    fleet, burst = fleet_for(costs, rate, shards), Burst(rate, 3)
    largest = 1.5 / shards
    shares = [largest, *[(1 - largest) / (shards - 1)] * (shards - 1)]
    results.append((f"{rate:,.0f}/s, three times for a minute", _run(fleet, burst)))
    results.append(("the same, one shard with half as much again", _run(fleet, burst, shares)))
    results.append(("the same, jobs take 30 % of each shard", _run(fleet, burst, shares, 0.3)))
    return results


def _run(fleet: Fleet, burst: Burst, shares: Iterable[float] = (), bulk: float = 0.0) -> Result:
    return simulate(fleet, burst, seconds=3_600, shares=list(shares), bulk=bulk)


def tables(bench: Mapping[str, Any]) -> str:
    costs = Costs.of(bench)
    return "\n\n".join([_costs_table(costs), _needs_table(costs), _bursts_table(costs)])


def _costs_table(costs: Costs) -> str:
    return _table(
        ("of one outcome", "measured"),
        [
            ("processor time, web", f"{costs.web_us:.0f} µs"),
            ("processor time, settling and the search index", f"{costs.settle_us:.0f} µs"),
            ("processor time, PostgreSQL", f"{costs.database_us:.0f} µs"),
            ("stored, all tables and indexes", f"{costs.stored_bytes / KIB:.2f} KiB"),
            ("of these, the search index", f"{costs.index_bytes / KIB:.2f} KiB"),
            ("log (WAL)", f"{costs.log_bytes / KIB:.2f} KiB"),
            ("pages written", f"{costs.page_writes:.2f}"),
            ("most of one node", f"{largest_rate_of_a_node(costs):,.0f}/s"),
        ],
    )


def _needs_table(costs: Costs) -> str:
    pairs = [(rate, rate * DAY * 400) for rate in RATES[:3]]
    pairs += [(RATES[3], STORED[0]), (RATES[3], STORED[2]), *((RATES[4], n) for n in STORED[1:])]
    head = (
        *("outcomes/s", "stored", "architecture", "web · settle · database cores"),
        *("log MB/s", "IOPS", "rows TB", "columns TB", "hosts", "nodes", "connections", "$/month"),
    )
    return _table(head, [_need_row(need(costs, *pair)) for pair in pairs])


def _need_row(n: Need) -> tuple[str, ...]:
    return (
        f"{n.rate:,.0f}",
        f"{n.stored:.1e}",
        n.step,
        f"{n.web_cores:.1f} · {n.settle_cores:.1f} · {n.database_cores:.1f}",
        f"{n.log_per_s / 1e6:.1f}",
        f"{n.writes_per_s + n.flushes_per_s:,.0f}",
        f"{n.row_bytes / TB:.1f}",
        f"{n.column_bytes / TB:.1f}",
        str(n.hosts),
        str(n.nodes),
        f"{n.connections:,.0f}",
        f"{n.dollars:,.0f}",
    )


def _bursts_table(costs: Costs) -> str:
    head = (
        "burst",
        "longest lag",
        "largest inbox of a shard",
        "refused, retries counted",
        "lost",
        "caught up after",
    )
    return _table(head, [_burst_row(name, result) for name, result in bursts(costs)])


def _burst_row(name: str, r: Result) -> tuple[str, ...]:
    until = "not within the hour" if r.drained_at is None else f"{r.drained_at:,.0f} s"
    backlog, refused = f"{r.largest_backlog:,.0f}", f"{r.refused:,.0f}"
    return name, f"{r.longest_lag:,.0f} s", backlog, refused, f"{r.lost:,.0f}", until


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    options.add_argument("--json", type=Path, default=ROOT / "docs/scale.json")
    print(tables(json.loads(options.parse_args().json.read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
