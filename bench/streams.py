"""`python -m bench.streams`: what thousands of agents on the stream cost the others, and the
deploy that reaches them.
"""

import argparse
import json
import os
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from bench import increments, listeners
from bench.governing import CONTRACT, deploy
from bench.machine import ROOT
from bench.memory import pss
from bench.posting import started
from bench.processes import CpuMeter
from bench.site import Site, site
from bench.stores import store

STREAMS = 2_000
CLIENTS, SECONDS = 8, 6.0
DEPLOYS = 4
MEMORY_LIMIT, REACH_LIMIT, SLOWER_LIMIT, STOP_LIMIT = 60, 0.5, 1.5, 3.0


class Failed(Exception):
    """The bench could not produce a figure; the message says why."""


@contextmanager
def process(module: str, order: msgspec.Struct) -> Iterator["subprocess.Popen[bytes]"]:
    started = subprocess.Popen(
        [sys.executable, "-m", module], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert started.stdin  # noqa: S101 - it was made with a pipe
        started.stdin.write(msgspec.json.encode(order) + b"\n")
        started.stdin.flush()
        yield started
    finally:
        started.kill()
        started.communicate()


def line_of(started: "subprocess.Popen[bytes]") -> bytes:
    assert started.stdout  # noqa: S101 - it was made with a pipe
    line = started.stdout.readline()
    if not line:
        raise Failed(f"{started.args!r} ended with {started.wait()}")
    return line


def measure(running: Site, streams: int) -> dict[str, Any]:
    web = running.running.children["web"]
    host, port = running.address
    deploy(running)
    counted(running, seconds=2)
    alone = [counted(running), counted(running)]
    before = held(running, web)
    order = listeners.Order(host, port, running.key, "bench", streams)
    began = time.monotonic()
    with process("bench.listeners", order) as agents:
        line_of(agents)  # streams are open
        opened = time.monotonic() - began
        line_of(agents)  # agents have received the deployed version
        time.sleep(2)
        during = held(running, web)
        idle = [reach(running, agents, number) for number in range(2, 2 + DEPLOYS)]
        quiet = counted(running)
        with deploying(running, agents, 2 + DEPLOYS) as busy:
            loaded = counted(running)
        after = held(running, web)
        began = time.monotonic()
        os.kill(web, signal.SIGTERM)
        while alive(web):
            time.sleep(0.01)
        stopped = time.monotonic() - began
        ended = int(line_of(agents).split()[1])
    while running.running.children.get("web") in (None, web):
        time.sleep(0.05)
    counted(running, seconds=2)
    alone.append(counted(running))
    return {
        "streams": streams,
        "opened_s": opened,
        "memory_mb": {
            "before": before["pss_mb"],
            "open": during["pss_mb"],
            "used": after["pss_mb"],
        },
        "connections": {"before": before["connections"], "open": during["connections"]},
        "reach_s": {"idle": idle, "under load": busy},
        "increments": {"alone": alone, "beside streams": quiet, "beside deploys": loaded},
        "stop_s": stopped,
        "ended": ended,
    }


def counted(running: Site, seconds: float = SECONDS) -> dict[str, float]:
    order = increments.Order(*running.address, running.key, secrets.token_hex(4), CLIENTS, seconds)
    with started("bench.increments", order) as ready:
        meter = CpuMeter({**running.processes, "client": ready.process.pid})
        result = ready.go()
        others = meter.read().get("others", 0.0)
    if result.failures or not result.latencies:
        raise Failed(f"increments failed: {result.failures[:1]}")
    return {
        "per_s": len(result.latencies) / seconds,
        **{f"p{each}_ms": percentile(result.latencies, each) for each in (50, 95, 99)},
        "others": others,  # cores used by other programs
    }


def percentile(seconds: Sequence[float], percent: int) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000


def reach(running: Site, agents: "subprocess.Popen[bytes]", number: int) -> float:
    """Seconds from a deployment's response, sent after its commit, until all agents have it."""
    yaml = CONTRACT.replace("Not that file.", f"Not that file ({number}).")
    for path, body in (
        ("/v1/contracts", {"yaml": yaml}),
        ("/v1/contracts/bench/deployments", {"version": number, "env": "production"}),
    ):
        status, answer = running.ask("POST", path, body)
        if status != 201:
            raise Failed(f"{path} answered {status}: {answer}")
    answered = time.monotonic()
    outcome = msgspec.json.decode(line_of(agents), type=listeners.Arrival)
    if outcome.version != number:
        raise Failed(f"the agents have version {outcome.version}, not {number}")
    return outcome.last - answered


@contextmanager
def deploying(
    running: Site, agents: "subprocess.Popen[bytes]", first: int
) -> Iterator[list[float]]:
    """Deploy about once a second in the background, and yield the times to reach all agents."""
    times: list[float] = []
    over = threading.Event()

    def deploy_on() -> None:
        number = first
        while not over.wait(1):
            times.append(reach(running, agents, number))
            number += 1

    thread = threading.Thread(target=deploy_on)
    thread.start()
    try:
        yield times
    finally:
        over.set()
        thread.join()


def held(running: Site, web: int) -> dict[str, float]:
    """Memory and database connections of the web process."""
    return {"pss_mb": pss(web), "connections": connections(running, web)}


def connections(running: Site, web: int) -> int:
    if running.store.url:
        with psycopg.connect(running.store.url) as connection:
            request = (
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            return int((connection.execute(request).fetchone() or (0,))[0])
    links = [os.readlink(each) for each in Path(f"/proc/{web}/fd").iterdir() if each.is_symlink()]
    return links.count(str(running.store.file))


def too_much(result: dict[str, Any]) -> list[str]:
    """Figures beyond their limits."""
    memory, reached, increments = result["memory_mb"], result["reach_s"], result["increments"]
    alone = statistics.median(each["p95_ms"] for each in increments["alone"])
    request = (
        ("memory", memory["open"] - memory["before"], MEMORY_LIMIT),
        ("connections", result["connections"]["open"] - result["connections"]["before"], 0),
        ("reach", max(reached["idle"] + reached["under load"]), REACH_LIMIT),
        ("p95 beside streams", increments["beside streams"]["p95_ms"] / alone, SLOWER_LIMIT),
        ("p95 beside deploys", increments["beside deploys"]["p95_ms"] / alone, SLOWER_LIMIT),
        ("stop", result["stop_s"], STOP_LIMIT),
        ("streams that did not end", result["streams"] - result["ended"], 0),
    )
    return [f"{name}: {value:.2f}, not {limit}" for name, value, limit in request if value > limit]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 3)
        case dict():
            return {key: rounded(each) for key, each in value.items()}
        case list():
            return [rounded(each) for each in value]
        case _:
            return value


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.streams", description=__doc__)
    options.add_argument(
        "--stores", nargs="+", choices=["sqlite", "postgres"], default=["sqlite", "postgres"]
    )
    options.add_argument("--streams", type=int, default=STREAMS)
    request = options.parse_args()
    faults = []
    with tempfile.TemporaryDirectory(prefix="edictum-streams-") as name:
        for each in request.stores:
            with store(each, Path(name)) as chosen, site(chosen) as running:
                result = measure(running, request.streams)
                result["beyond"] = too_much(result)
                faults += result["beyond"]
                print(json.dumps({each: rounded(result)}, indent=1), flush=True)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
