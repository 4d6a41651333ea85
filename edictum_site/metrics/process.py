"""Metrics counted by this web process, and those of its host."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector

from edictum_site.metrics.domain import BY_NAME, Sample
from governance.evaluation.engine import pool_use
from outcomes.ingest.queries.capacity import artifact_disk, data_disk

BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_API: Final = re.compile(r"/(?:api/)?v1/([^/]*)")
_INGEST: Final = frozenset({"outcomes", "events", "audit", "traces", "artifacts"})
_OTHERS: Final = {"health": "health", "sessions": "session_store", "stream": "stream"}
_PAGES: Final = {"static": "static", "clients": "static", "metrics": "metrics"}

own: Final = CollectorRegistry()
_metric: Final = BY_NAME["edictum_request_seconds"]
_requests: Final = Histogram(
    _metric.name, _metric.text, _metric.labels, buckets=BUCKETS, registry=own
)
ProcessCollector(registry=own)
_open_streams: Callable[[], int] = lambda: 0  # noqa: E731 - until the front counts them


def count_streams(number: Callable[[], int]) -> None:
    global _open_streams
    _open_streams = number


def observe_request(method: str, path: str, status: int, seconds: float) -> None:
    """Record a request's duration. Labels have few values: a route group and a status class."""
    _requests.labels(route_of(method, path), f"{status // 100}xx").observe(seconds)


def route_of(method: str, path: str) -> str:
    """Part of the product that a request is for: one of eight values, regardless of the path."""
    if called := _API.match(path):
        first = called[1]
        if first in _INGEST and method == "POST":
            return "ingest"
        return _OTHERS.get(first, "api")
    return _PAGES.get(path.split("/", 2)[1] if "/" in path else "", "page")


def process_samples() -> Iterator[Sample]:
    use = pool_use()
    yield Sample("edictum_open_streams", (), _open_streams())
    yield Sample("edictum_evaluation_processes", ("running",), use.running)
    yield Sample("edictum_evaluation_processes", ("busy",), use.busy)
    yield Sample("edictum_evaluation_processes", ("most",), use.members)
    yield Sample("edictum_evaluation_starts_total", (), use.starts)
    yield from _disks()


def _disks() -> Iterator[Sample]:
    for name, disk_of in (("data", data_disk), ("artifacts", artifact_disk)):
        try:
            disk = disk_of()
        except OSError:  # unmounted: omit this figure rather than fail the scrape
            continue
        if disk is not None:
            yield Sample("edictum_disk_free_bytes", (name,), disk.free)
            yield Sample("edictum_disk_size_bytes", (name,), disk.total)
