"""`python -m bench`: all parts on both databases, as one JSON and one table."""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench import machine, parts
from bench.backtests import KINDS, BacktestEnded, backtests, recorded
from bench.checks import checks
from bench.editor import editor
from bench.governed import governed
from bench.governing import deploy
from bench.increments import increments
from bench.posting import AgentsFailed
from bench.rejudging import RejudgingEnded, rejudging
from bench.report import table
from bench.site import NotSettled, Site, site
from bench.sizes import CLIENTS, COUNTING, FULL, LAG_BATCH, LAG_ITEMS, QUICK, Sizes
from bench.stores import Store, store
from bench.under_backtests import lag_under_backtests
from bench.workload import Workload

WARM_UP = 2_000  # items: after a start everything is cold once


def main() -> int:
    # However it is asked to end, what it started is stopped and removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    options = _options()
    sizes = QUICK if options.quick else FULL
    bench: dict[str, Any] = {"at": datetime.now(UTC).isoformat(timespec="seconds")}
    bench |= machine.commit() | {"sizes": "quick" if options.quick else "full", "stores": {}}
    with tempfile.TemporaryDirectory(prefix="edictum-bench-", dir=options.folder) as name:
        folder = Path(name)
        bench["machine"] = machine.machine(folder)
        bench["checks"] = checks()
        for each in options.stores:
            with store(each, folder) as chosen:
                expected = _backtest_parts if options.backtests else _parts
                bench["stores"][each] = _on(chosen, sizes, expected)
    text = json.dumps(bench, indent=1)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(text + "\n")
    print(text)
    print(table(bench))
    wrong = [bench["checks"]["recount"] != "exact", *map(_is_wrong, bench["stores"].values())]
    return int(any(wrong))


def _on(
    chosen: Store, sizes: Sizes, expected: Callable[[Site, Sizes], Iterator[parts.Part]]
) -> dict[str, Any]:
    counted: dict[str, Any] = {"durability": {}, "parts": [], "ended": ""}
    with site(chosen) as running:
        deploy(running)
        counted["durability"] = machine.durability(chosen)
        try:
            parts.end_to_end(running, parts.workload(WARM_UP, batch=50, clients=4))
            for part in expected(running, sizes):
                counted["parts"].append(part.as_json())
                print(f"{chosen.name}: {part.name} done", file=sys.stderr, flush=True)
        except (NotSettled, AgentsFailed, BacktestEnded, RejudgingEnded) as error:
            counted["ended"] = f"The parts end here. {error}"
    return counted


def _parts(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    yield from parts.settle(running, parts.workload(sizes.settle, batch=500, clients=4))
    yield parts.end_to_end(running, parts.workload(sizes.end_to_end, batch=500, clients=4))
    yield _lag(running, sizes)
    for clients in COUNTING:
        yield increments(running, clients=clients, seconds=sizes.counting_seconds)
    yield governed(running, calls=sizes.governed)
    for worker in (True, False):
        for batch, items in sizes.ingest.items():
            for clients in CLIENTS:
                load = parts.workload(items, batch=batch, clients=clients)
                yield parts.door(running, load, worker=worker)
    yield from _backtests(running, sizes)
    yield from rejudging(running, number=sizes.backtest)
    yield editor(running)


def _backtest_parts(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    """With what settling beside them is held against."""
    yield _lag(running, sizes)
    yield from _backtests(running, sizes)


def _lag(running: Site, sizes: Sizes) -> parts.Part:
    return parts.lag(running, _steady(sizes), per_second=LAG_ITEMS)


def _backtests(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    for kind in KINDS:
        posted = recorded(running, kind, sizes.backtest)
        yield backtests(running, kind, posted)
    yield lag_under_backtests(running, _steady(sizes), posted, per_second=LAG_ITEMS)


def _steady(sizes: Sizes) -> Workload:
    return parts.workload(LAG_ITEMS * sizes.lag_seconds, batch=LAG_BATCH, clients=4)


def _is_wrong(result: dict[str, Any]) -> bool:
    return bool(result["ended"]) or any(part["recount"] != "exact" for part in result["parts"])


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="about a minute")
    options.add_argument(
        "--backtests", action="store_true", help="only these, and settling alone and beside them"
    )
    options.add_argument(
        "--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"]
    )
    options.add_argument("--json", type=Path, default=machine.ROOT / ".cache/bench.json")
    options.add_argument("--folder", help="where the data lies meanwhile; on a real disk")
    return options.parse_args()


if __name__ == "__main__":
    sys.exit(main())
