"""`python -m bench.stalls`: what a post and a question for health take while others validate large
contracts and read exports slowly, held against what they take when nothing else runs.
"""

import argparse
import http.client
import json
import math
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench import parts
from bench.processes import CpuMeter
from bench.site import Site, site
from bench.slow_clients import under_way
from bench.stores import store
from bench.workload import bodies

VALIDATIONS = EXPORTS = 16
CALLS, SECONDS = 20_000, 15.0
EVERY, BATCH = 0.05, 50  # seconds between two requests, items per post
SETTLING = 120.0
FILLING = 5.0  # seconds until the buffers between an export and its reader are full
TIMES = 2.0  # maximum ratio to the idle p95
FLOOR = 10.0  # ms; anything below is noise


def measure(running: Site, chosen: argparse.Namespace) -> dict[str, Any]:
    seconds = chosen.seconds
    parts.end_to_end(running, parts.workload(CALLS, batch=500, clients=4))
    latencies(running, seconds / 5)
    idle = latencies(running, seconds)
    with under_way(running, validations=chosen.validations, exports=chosen.exports) as counted:
        time.sleep(FILLING)
        meter = CpuMeter(running.processes)
        loaded = latencies(running, seconds)
        cores, meanwhile = meter.read(), dict(counted())
    running.wait_until_settled(SETTLING)
    result = {
        name: {
            "idle_p95_ms": p95(idle[name]),
            "loaded_p95_ms": p95(loaded[name]),
            "of_limit": p95(loaded[name]) / max(TIMES * p95(idle[name]), FLOOR),
        }
        for name in idle
    }
    beyond = [*slow(result), *unanswered(meanwhile, chosen)]
    return {**result, "meanwhile": meanwhile, "cores": cores, "beyond": beyond}


def slow(result: dict[str, dict[str, float]]) -> list[str]:
    return [
        f"{name}: {each['of_limit']:.2f}" for name, each in result.items() if each["of_limit"] > 1
    ]


def unanswered(meanwhile: dict[str, int], chosen: argparse.Namespace) -> list[str]:
    loads = {"validation 200": chosen.validations, "export 200": chosen.exports}
    return [
        f"no {what} was answered"
        for what, clients in loads.items()
        if clients and not meanwhile.get(what)
    ]


def latencies(running: Site, seconds: float) -> dict[str, list[float]]:
    """Latencies of posts and health requests, both at a steady rate on separate connections."""
    took: dict[str, list[float]] = {"post": [], "health": []}
    posts = list(
        bodies(parts.workload(math.ceil(seconds / EVERY) * BATCH, batch=BATCH, clients=1), 0)
    )
    threads = [
        threading.Thread(target=ask, args=(running, "POST", "/v1/outcomes", posts, took["post"])),
        threading.Thread(
            target=ask, args=(running, "GET", "/v1/health", [b""] * len(posts), took["health"])
        ),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def ask(site: Site, method: str, path: str, sent: list[bytes], took: list[float]) -> None:
    """Send requests on schedule and time each from when it was due, so that delays carry over."""
    connection = http.client.HTTPConnection(*site.address, timeout=60)
    headers = {"Authorization": f"Bearer {site.key}", "Content-Type": "application/json"}
    began = time.monotonic()
    for number, body in enumerate(sent):
        due = began + number * EVERY
        time.sleep(max(0.0, due - time.monotonic()))
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        outcome = answer.read()
        took.append(1_000 * (time.monotonic() - due))
        if answer.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"{path} answered {answer.status}: {outcome!r}")
    connection.close()


def p95(took: list[float]) -> float:
    return sorted(took)[math.ceil(0.95 * len(took)) - 1]


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.stalls", description=__doc__)
    options.add_argument(
        "--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"]
    )
    options.add_argument("--seconds", type=float, default=SECONDS)
    options.add_argument("--validations", type=int, default=VALIDATIONS)
    options.add_argument("--exports", type=int, default=EXPORTS)
    chosen = options.parse_args()
    beyond = []
    with tempfile.TemporaryDirectory(prefix="edictum-stalls-") as name:
        for each in chosen.stores:
            with store(each, Path(name)) as stored, site(stored) as running:
                result = measure(running, chosen)
                beyond += result["beyond"]
                print(json.dumps({each: result}, indent=1), flush=True)
    return int(bool(beyond))


if __name__ == "__main__":
    raise SystemExit(main())
