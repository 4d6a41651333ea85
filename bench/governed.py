"""Cost of a governed call for an agent: the real SDK with the product and with a null server.

`python -m bench.governed` is the agent, a separate process: it reads an Order from standard input,
sets up a guard for each server, prints `ready`, waits for a line, and prints a Governed."""

import asyncio
import secrets
import statistics
import sys
import time
from typing import Any

import msgspec
from edictum import Edictum

from bench.null_server import null_server
from bench.parts import SETTLING, Part, percentiles
from bench.posting import started
from bench.processes import CpuMeter
from bench.site import Site

LIMIT = 1.5  # maximum ratio to the null server
TOOL = "look up"
OF_A_SESSION = 50  # calls per session; the contract allows 60
WARM_UP = 25  # calls per server, to open connections and fill caches
ARGUMENTS = {"customer": "c-4711", "fields": ["name", "address", "orders"]}

_STORED = "SELECT count(*) FROM outcomes_call WHERE kind = 'execution_result' AND agent_id IN ({})"
_EVENTS = "SELECT count(*) FROM outcomes_event WHERE agent_id IN ({})"
_AGENT = "SELECT id FROM outcomes_agent WHERE name = %s"
_COUNTED = "SELECT coalesce(sum(number), 0) FROM outcomes_storedvalue WHERE key LIKE %s"


class Order(msgspec.Struct):
    console: str
    null: str
    key: str
    agent: str
    calls: int


class Governed(msgspec.Struct):
    console: list[float]  # seconds of each call
    null: list[float]


def governed(site: Site, *, calls: int) -> Part:
    """Call both servers by turns, so that other load on the machine affects them equally."""
    agent = f"governed-{secrets.token_hex(4)}"
    part = Part("governed call", 1, 1, calls, how="the real SDK, in turn on a null server")
    site.wait_until_settled(SETTLING)
    with null_server() as (null, server):
        order = Order(site.running.url, null, site.key, agent, calls)
        with started("bench.governed", order) as ready:
            watched = {**site.processes, "client": ready.process.pid, "null": server}
            meter = CpuMeter(watched)
            ready.send_line(b"go\n")
            took = msgspec.json.decode(ready.hear(), type=Governed)
            part.cores = meter.read()
    site.wait_until_settled(SETTLING)
    part.faults = _faults(site, agent, calls + WARM_UP)
    null_figures = percentiles(took.null, 50, 95)
    part.figures = {
        **percentiles(took.console, 50, 95, 99),
        **{f"null_{name}": figure for name, figure in null_figures.items()},
        "of_null": statistics.median(took.console) / statistics.median(took.null),
        # The mean includes every 25th call, which waits for a batch of events to be sent.
        "of_null_mean": statistics.fmean(took.console) / statistics.fmean(took.null),
    }
    return part


def _faults(site: Site, agent: str, calls: int) -> list[str]:
    """Differences from one outcome, two events and three counter increments per call."""
    request = (
        ("outcomes", _STORED.format(_AGENT), agent, calls),
        ("events", _EVENTS.format(_AGENT), agent, 2 * calls),
        *(
            (name, _COUNTED, f"s:{agent}-%:{name}", calls)
            for name in ("attempts", "execs", f"tool:{TOOL}")
        ),
    )
    faults = []
    for name, query, value, want in request:
        result = int(site.store.rows(query, value)[0][0])
        if result != want:
            faults.append(f"{name}: {result} stored, not {want}")
    return faults


async def _call(guard: Any, session: str) -> float:
    began = time.perf_counter()
    answered = await guard.run(TOOL, ARGUMENTS, _lookup, session_id=session)
    took = time.perf_counter() - began
    if answered != "found":
        raise SystemExit(f"the tool answered {answered!r}")
    return took


async def _lookup(customer: str, fields: list[str]) -> str:
    return "found"


async def carry_out(order: Order) -> Governed:
    # No stream: nothing is deployed during the run, and it adds nothing to the cost of a call.
    named: Any = {"bundle_name": "bench", "auto_watch": False}
    guards: list[Any] = [
        await Edictum.from_server(url, order.key, order.agent, **named)
        for url in (order.console, order.null)
    ]
    took: tuple[list[float], list[float]] = ([], [])
    for number in range(-WARM_UP, order.calls):
        if number == 0:
            print("ready", flush=True)
            await asyncio.to_thread(sys.stdin.readline)
        session = f"{order.agent}-{(number + WARM_UP) // OF_A_SESSION}"
        for place in (0, 1) if number % 2 else (1, 0):  # alternate which one goes first
            seconds = await _call(guards[place], session)
            if number >= 0:
                took[place].append(seconds)
    for guard in guards:
        for sink in guard.audit_sink.sinks:  # closing a guard doesn't flush its sinks
            if hasattr(sink, "close"):
                await sink.close()
        await guard.close()
    return Governed(*took)


if __name__ == "__main__":
    order = msgspec.json.decode(sys.stdin.readline(), type=Order)
    print(msgspec.json.encode(asyncio.run(carry_out(order))).decode(), flush=True)
