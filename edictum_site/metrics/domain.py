"""Definitions of all metrics: name, labels and meaning, as listed in `docs/metrics.md`."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class About(StrEnum):
    """Processes that report the same value, and credentials that may read it."""

    PROJECT = "project"  # every web process; a key reads its own project, the token all
    INSTALLATION = "installation"  # every web process; only the token
    PROCESS = "process"  # the web process that answers, and its host; only the token


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    kind: Kind
    about: About
    labels: tuple[str, ...]
    text: str


class Sample(NamedTuple):
    metric: str
    labels: tuple[str, ...]
    value: float


_COUNTER, _GAUGE, _HISTOGRAM = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM
_PROJECT, _INSTALLATION, _PROCESS = About.PROJECT, About.INSTALLATION, About.PROCESS
_PLACE: Final = ("project", "environment")

METRICS: Final = (
    Metric("edictum_calls_total", _COUNTER, _PROJECT, (*_PLACE, "tool", "type"),
           "Calls with an outcome, by its type"),
    Metric("edictum_verdicts_total", _COUNTER, _PROJECT, (*_PLACE, "tool", "verdict"),
           "Calls that ran, by verdict"),
    Metric("edictum_disagreements_total", _COUNTER, _PROJECT, (*_PLACE, "tool"),
           "Calls to which agent and check give different verdicts"),
    Metric("edictum_denials_total", _COUNTER, _PROJECT, (*_PLACE, "reason"),
           "Denied calls, by reason"),
    Metric("edictum_limits_reached_total", _COUNTER, _PROJECT, _PLACE,
           "Calls denied because their session hit a limit"),
    Metric("edictum_backlog_batches", _GAUGE, _PROJECT, ("project",),
           "Acknowledged posts that are not settled, 10,000 at most"),
    Metric("edictum_backlog_items", _GAUGE, _PROJECT, ("project",),
           "Items of these posts"),
    Metric("edictum_settling_lag_seconds", _GAUGE, _PROJECT, ("project",),
           "Age of the oldest post that is not settled"),
    Metric("edictum_failed_batches", _GAUGE, _PROJECT, ("project",),
           "Posts that failed and need a retry by a person"),
    Metric("edictum_alerts", _GAUGE, _PROJECT, ("project", "severity"),
           "Open alerts"),
    Metric("edictum_pending_approvals", _GAUGE, _PROJECT, _PLACE,
           "Approvals without a decision"),
    Metric("edictum_oldest_approval_seconds", _GAUGE, _PROJECT, _PLACE,
           "Age of the oldest of them"),
    Metric("edictum_build_info", _GAUGE, _INSTALLATION, ("version",),
           "1, with the version of the web that answers"),
    Metric("edictum_part_up", _GAUGE, _INSTALLATION, ("part",),
           "1 while this part works: database, schema, inbox, artifacts, broker, scheduler"),
    Metric("edictum_host_up", _GAUGE, _INSTALLATION, ("host", "process"),
           "1 while the process reports; it leaves the list when it is stopped"),
    Metric("edictum_host_clock_offset_seconds", _GAUGE, _INSTALLATION, ("host", "process"),
           "How far the clock of the host is ahead of the database's"),
    Metric("edictum_inbox_bytes", _GAUGE, _INSTALLATION, (),
           "Compressed size of the posts that are not settled"),
    Metric("edictum_queue_messages", _GAUGE, _INSTALLATION, ("queue",),
           "Messages that wait for a worker; absent while Redis does not answer"),
    Metric("edictum_jobs", _GAUGE, _INSTALLATION, ("kind", "status"),
           "Jobs that are queued or running"),
    Metric("edictum_jobs_ended_total", _COUNTER, _INSTALLATION, ("kind", "status"),
           "Jobs that ended in a worker"),
    Metric("edictum_job_seconds_total", _COUNTER, _INSTALLATION, ("kind", "status"),
           "Time these jobs took, from their last start to their end"),
    Metric("edictum_request_seconds", _HISTOGRAM, _PROCESS, ("route", "status"),
           "Time to answer, without receiving the body and sending the answer"),
    Metric("edictum_open_streams", _GAUGE, _PROCESS, (),
           "Agents that hold a stream to this web"),
    Metric("edictum_evaluation_processes", _GAUGE, _PROCESS, ("state",),
           "Evaluation processes for pages: running, busy, and the most there may be"),
    Metric("edictum_evaluation_starts_total", _COUNTER, _PROCESS, (),
           "Starts of these processes; they end when idle, and when a contract takes too long"),
    Metric("edictum_disk_free_bytes", _GAUGE, _PROCESS, ("disk",),
           "Free space: data, and artifacts if these are in a folder"),
    Metric("edictum_disk_size_bytes", _GAUGE, _PROCESS, ("disk",),
           "Size of these disks"),
    Metric("edictum_scrape_seconds", _GAUGE, _PROCESS, (),
           "Time to read and encode the figures of the database, the last time"),
)  # fmt: skip
BY_NAME: Final = {metric.name: metric for metric in METRICS}
