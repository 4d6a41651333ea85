"""Parts of a bench, each with its figures or the reasons why it has none."""

import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from bench.agent import Result
from bench.limits import seconds_to_copy
from bench.posting import agents
from bench.processes import CpuMeter
from bench.recount import faults_in
from bench.site import Site
from bench.workload import TAG, Workload

POSTING, SETTLING = 60.0, 120.0  # maximum seconds per part


@dataclass(slots=True)
class Part:
    name: str
    batch: int
    clients: int
    items: int = 0  # acknowledged
    figures: dict[str, float] = field(default_factory=dict)
    how: str = ""
    cores: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The part as JSON. Figures are included only if everything was stored exactly."""
        shown = {} if self.faults else self.figures
        return {
            "part": self.name,
            "batch": self.batch,
            "clients": self.clients,
            "items": self.items,
            **shown,
            "how": self.how,
            "recount": self.faults or "exact",
            "cores": self.cores,
        }


def workload(items: int, *, batch: int, clients: int) -> Workload:
    """Workload of about `items`, with at least one post per client."""
    posts = max(1, items // (batch * clients))
    return Workload(secrets.token_hex(TAG // 2), clients, posts, batch)


def door(site: Site, load: Workload, *, worker: bool) -> Part:
    """Durable ingest: from the first byte sent to the last response, each sent after its commit."""
    name = "ingest" if worker else "ingest, door alone"
    how = "worker running" if worker else "worker stopped meanwhile"
    part = Part(name, load.batch, load.clients, how=how)
    site.wait_until_settled(SETTLING)
    stopped = nullcontext() if worker else site.worker_stopped()
    with agents(site, load, seconds=POSTING) as ready, stopped:
        meter = CpuMeter({**site.processes, "client": ready.process.pid})
        result = ready.go()
        part.cores = meter.read()
    site.wait_until_settled(SETTLING)
    _judge(part, site, load, result)
    part.figures = {
        "items_per_s": part.items / (result.ended - result.began),
        **percentiles(result.latencies, 50, 95),
    }
    return part


def settle(site: Site, load: Workload) -> list[Part]:
    """Settling rate of a worker without concurrent ingest, and the limit for the same rows."""
    part = Part("settle alone", load.batch, load.clients, how="posted while the worker was stopped")
    site.wait_until_settled(SETTLING)
    with agents(site, load, seconds=POSTING) as ready, site.worker_stopped():
        result = ready.go()
    meter = CpuMeter(site.processes)
    settled = site.wait_until_settled(SETTLING)
    part.cores = meter.read()
    _judge(part, site, load, result)
    took = settled - meter.began
    part.figures = {"items_per_s": part.items / took}
    if part.faults:
        return [part]
    how, seconds = seconds_to_copy(site.store, load.tag)
    limit = Part("limit", load.batch, 1, part.items, {"items_per_s": part.items / seconds}, how)
    part.figures["of_limit"] = seconds / took
    return [part, limit]


def end_to_end(site: Site, load: Workload) -> Part:
    part = Part(
        "end to end", load.batch, load.clients, how="from the first post to the last settled"
    )
    site.wait_until_settled(SETTLING)
    with agents(site, load, seconds=POSTING) as ready:
        meter = CpuMeter({**site.processes, "client": ready.process.pid})
        result = ready.go()
        settled = site.wait_until_settled(SETTLING)
        part.cores = meter.read()
    _judge(part, site, load, result)
    part.figures = {
        "items_per_s": part.items / (settled - result.began),
        "posted_per_s": part.items / (result.ended - result.began),
    }
    return part


def lag(site: Site, load: Workload, *, per_second: int) -> Part:
    """Lag from post to settled at a steady rate, measured by when batches leave the inbox."""
    part = Part("lag", load.batch, load.clients, how=f"at a steady {per_second} items/s")
    every = load.batch / per_second
    site.wait_until_settled(SETTLING)
    with agents(site, load, seconds=POSTING, every=every, watch=True) as ready:
        meter = CpuMeter({**site.processes, "client": ready.process.pid})
        result = ready.go()
        part.cores = meter.read()
    _judge(part, site, load, result)
    if len(result.lags) != sum(result.posted):
        part.faults.append(f"{len(result.lags)} of {sum(result.posted)} posts were seen settled")
        return part
    took = max(result.ended - result.began, every)
    part.figures = {"items_per_s": part.items / took, **percentiles(result.lags, 50, 95, 99)}
    return part


def _judge(part: Part, site: Site, load: Workload, result: Result) -> None:
    part.items = sum(result.posted) * load.batch
    part.faults = [*result.failures, *faults_in(site.store, load, result.posted)]
    if not part.items:
        part.faults.append("nothing was acknowledged")


def percentiles(seconds: Sequence[float], *percents: int) -> dict[str, float]:
    ordered = sorted(seconds)
    if not ordered:
        return {}
    return {
        f"p{percent}_ms": ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1000
        for percent in percents
    }
