"""`python -m bench.costs`: what one outcome costs, from its post to its settled call.

Processor time by process, stored bytes by table, bytes and flushes of the log, pages written, and
the connections that the product held. Part of `make bench`; what reads it is `bench.scale`.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import psycopg

from bench import machine, parts
from bench.governing import deploy
from bench.processes import CpuMeter
from bench.site import NotSettled, Site, site
from bench.stores import Store, store
from bench.workload import Workload

WARM_UP: Final = 2_000
TO_INDEX: Final = 300.0  # seconds to wait for the search index
LEAST: Final = 0.5  # bytes per outcome below which a table is not listed
MICRO: Final = 1_000_000
_UNINDEXED: Final = "SELECT 1 FROM outcomes_unindexedevents LIMIT 1"
_SIZES: Final = (
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
_COUNTERS: Final = (
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'),"
    " (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),"
    " (SELECT coalesce(sum(writes), 0) FROM pg_stat_io WHERE object = 'relation')"
)
_FLUSHES: Final = {  # since PostgreSQL 18, WAL figures are in pg_stat_io
    False: "SELECT wal_sync FROM pg_stat_wal",
    True: "SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal'",
}
_CONNECTIONS: Final = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def costs(running: Site, load: Workload) -> dict[str, Any]:
    """Costs per outcome, including the search index; `recount` is `exact` or lists differences."""
    before, meter = _state(running.store), CpuMeter(running.processes)
    part = parts.end_to_end(running, load)
    _wait_until_indexed(running.store)
    used, after = meter.seconds(), _state(running.store)
    items = max(part.items, 1)
    grown = {name: (size - before["bytes"].get(name, 0)) / items
             for name, size in after["bytes"].items()}  # fmt: skip
    return {
        "items": part.items,
        "recount": part.faults or "exact",
        "cpu_us": {name: round(seconds / items * MICRO, 1) for name, seconds in used.items()},
        "bytes": {name: round(size, 1) for name, size in grown.items() if size >= LEAST},
        **{
            name: round((after[name] - before[name]) / items, 5)
            for name in ("wal_bytes", "commits", "page_writes", "log_flushes")
            if name in before
        },
        "connections": after.get("connections", 0),
    }


def _wait_until_indexed(chosen: Store) -> None:
    connection, until = chosen.connect(), time.monotonic() + TO_INDEX
    try:
        while connection.execute(_UNINDEXED).fetchall():
            if time.monotonic() > until:
                raise NotSettled(f"The search index was not complete after {TO_INDEX:.0f} s.")
            time.sleep(0.2)
    finally:
        connection.close()


def _state(chosen: Store) -> dict[str, Any]:
    if not chosen.url:
        connection = chosen.connect()
        try:
            (pages,), (size,) = (
                connection.execute(f"PRAGMA {name}").fetchone()
                for name in ("page_count", "page_size")
            )
        finally:
            connection.close()
        return {"bytes": {"database": pages * size}}
    with psycopg.connect(chosen.url, autocommit=True) as server:
        server.execute("CHECKPOINT")  # so that dirty pages are counted too
        sizes: Mapping[str, int] = dict(server.execute(_SIZES).fetchall())
        wal, commits, writes = server.execute(_COUNTERS).fetchone() or (0, 0, 0)
        is_new = server.info.server_version >= 180_000
        (flushes,) = server.execute(_FLUSHES[is_new]).fetchone() or (0,)
        (connections,) = server.execute(_CONNECTIONS).fetchone() or (0,)
    return {
        "bytes": sizes,
        "wal_bytes": int(wal),
        "commits": int(commits),
        "page_writes": int(writes),
        "log_flushes": int(flushes),
        "connections": int(connections),
    }


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.costs", description=__doc__)
    options.add_argument("--store", choices=["sqlite", "postgres"], default="postgres")
    options.add_argument("--items", type=int, default=100_000)
    options.add_argument("--json", type=Path, default=machine.ROOT / ".cache/costs.json")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="edictum-costs-") as name:
        with store(chosen.store, Path(name)) as where, site(where) as running:
            deploy(running)
            parts.end_to_end(running, parts.workload(WARM_UP, batch=50, clients=4))
            measured = costs(running, parts.workload(chosen.items, batch=500, clients=4))
        described = machine.commit() | {"machine": machine.machine(Path(name))}
    bench = described | {"stores": {chosen.store: {"costs": measured}}}
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps(bench, indent=1) + "\n")
    print(json.dumps(bench, indent=1))
    return int(measured["recount"] != "exact")


if __name__ == "__main__":
    sys.exit(main())
