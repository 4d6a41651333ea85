"""`python -m bench`: all parts on both databases, as one JSON and one table."""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench import machine, parts
from bench.backtests import KINDS, BacktestEnded, backtests, recorded
from bench.checks import checks
from bench.costs import costs
from bench.editor import editor
from bench.governed import governed
from bench.governing import deploy
from bench.increments import increments
from bench.posting import AgentsFailed
from bench.rejudging import RejudgingEnded, rejudging
from bench.report import table
from bench.site import NotSettled, Site, site
from bench.sizes import CLIENTS, COUNTING, FULL, LAG_BATCH, LAG_ITEMS, LAGS, QUICK, Sizes
from bench.stores import Store, store
from bench.under_backtests import lag_under_backtests
from bench.workload import Workload

WARM_UP = 2_000  # items, because all caches are cold after a start


def main() -> int:
    # On SIGTERM too, stop and remove everything that was started.
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
                bench["stores"][each] = _on(chosen, sizes, options.only)
    text = json.dumps(bench, indent=1)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(text + "\n")
    print(text)
    print(table(bench))
    wrong = [bench["checks"]["recount"] != "exact", *map(_is_wrong, bench["stores"].values())]
    return int(any(wrong))


def _on(chosen: Store, sizes: Sizes, groups: Sequence[str]) -> dict[str, Any]:
    counted: dict[str, Any] = {"durability": {}, "parts": [], "ended": ""}
    with site(chosen) as running:
        deploy(running)
        counted["durability"] = machine.durability(chosen)
        try:
            parts.end_to_end(running, parts.workload(WARM_UP, batch=50, clients=4))
            for group in groups:
                for part in GROUPS[group](running, sizes):
                    counted["parts"].append(part.as_json())
                    print(f"{chosen.name}: {part.name} done", file=sys.stderr, flush=True)
            if "end-to-end" in groups:
                load = parts.workload(sizes.end_to_end, batch=500, clients=4)
                counted["costs"] = costs(running, load)
        except (NotSettled, AgentsFailed, BacktestEnded, RejudgingEnded) as error:
            counted["ended"] = f"The parts end here. {error}"
    return counted


def _settle(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    yield from parts.settle(running, parts.workload(sizes.settle, batch=500, clients=4))


def _end_to_end(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    yield parts.end_to_end(running, parts.workload(sizes.end_to_end, batch=500, clients=4))


def _lag(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    for per_second in LAGS:
        yield parts.lag(running, _steady(sizes, per_second), per_second=per_second)


def _increments(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    for clients in COUNTING:
        yield increments(running, clients=clients, seconds=sizes.counting_seconds)


def _governed(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    yield governed(running, calls=sizes.governed)


def _ingest(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    for worker in (True, False):
        for batch, items in sizes.ingest.items():
            for clients in CLIENTS:
                load = parts.workload(items, batch=batch, clients=clients)
                yield parts.door(running, load, worker=worker)


def _backtests(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    for kind in KINDS:
        posted = recorded(running, kind, sizes.backtest)
        yield backtests(running, kind, posted)
    load = _steady(sizes, LAG_ITEMS)
    yield lag_under_backtests(running, load, posted, per_second=LAG_ITEMS)


def _rejudging(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    yield from rejudging(running, number=sizes.backtest)


def _editor(running: Site, sizes: Sizes) -> Iterator[parts.Part]:
    yield editor(running)


def _steady(sizes: Sizes, per_second: int) -> Workload:
    return parts.workload(per_second * sizes.lag_seconds, batch=LAG_BATCH, clients=4)


def _is_wrong(result: dict[str, Any]) -> bool:
    return bool(result["ended"]) or any(part["recount"] != "exact" for part in result["parts"])


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--quick", action="store_true", help="about a minute")
    options.add_argument(
        "--only", nargs="+", choices=GROUPS, default=list(GROUPS), help="only these parts"
    )
    options.add_argument(
        "--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"]
    )
    options.add_argument("--json", type=Path, default=machine.ROOT / ".cache/bench.json")
    options.add_argument("--folder", help="where the data lies meanwhile; on a real disk")
    return options.parse_args()


# Parts by their name for --only, in the order in which they run.
GROUPS: Final[dict[str, Callable[[Site, Sizes], Iterator[parts.Part]]]] = {
    "settle": _settle,
    "end-to-end": _end_to_end,
    "lag": _lag,
    "increments": _increments,
    "governed": _governed,
    "ingest": _ingest,
    "backtests": _backtests,
    "reclassification": _rejudging,
    "editor": _editor,
}


if __name__ == "__main__":
    sys.exit(main())
