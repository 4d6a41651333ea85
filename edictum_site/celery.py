"""The Celery app: queues, schedule, and startup of workers.

Under `manage.py up`, the worker of the `settle` queue runs beat as a thread, so that both stop
together; elsewhere beat is a separate process. Workers of `interactive` and `bulk` fork a process
per job.
"""

import gc
import os
import signal
import sys
from datetime import timedelta
from typing import Any, Final

from celery import Celery
from celery.beat import EmbeddedService
from celery.signals import beat_init, worker_init, worker_process_init, worker_ready

from edictum_site.inbox_timer import sweep_by_timer

SETTLE: Final = "settle"  # settling, and short scheduled tasks
INTERACTIVE: Final = "interactive"  # jobs that a person waits for
BULK: Final = "bulk"  # all other jobs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")
app = Celery("edictum_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

app.conf.task_default_queue = SETTLE
app.conf.task_routes = {
    "outcomes.tasks.run_backtest": INTERACTIVE,
    "outcomes.tasks.run_check_backtest": INTERACTIVE,
    "outcomes.tasks.reclassify": BULK,
    "outcomes.tasks.remove_session": BULK,
    "outcomes.tasks.scan_for_suggestions": BULK,
    "outcomes.tasks.index_calls": BULK,
    "outcomes.tasks.run_retention": BULK,
    "outcomes.tasks.erase": BULK,
    "edictum_site.tasks.fill_demo": BULK,
    "outcomes.tasks.remove_unreferenced_artifacts": BULK,
    "outcomes.tasks.remove_agents_long_gone": BULK,
    "outcomes.tasks.remove_idle_values": BULK,
    "governance.tasks.remove_what_is_old": BULK,
    "governance.tasks.send_audit_streams": BULK,
}

# The inbox is not listed: it has its own timer, so that settling continues without the broker.
app.conf.beat_schedule = {
    "expire approvals": {
        "task": "governance.tasks.expire_approvals",
        "schedule": timedelta(seconds=5),
    },
    "expire deployment requests": {
        "task": "governance.tasks.expire_requests",
        "schedule": timedelta(minutes=1),
    },
    "send messages for jobs that wait without one": {
        "task": "outcomes.tasks.sweep_jobs",
        "schedule": timedelta(seconds=5),
    },
    "send messages for demos that wait without one": {
        "task": "edictum_site.tasks.sweep_demos",
        "schedule": timedelta(seconds=5),
    },
    "scan for suggestions": {
        "task": "outcomes.tasks.start_suggestion_scans",
        "schedule": timedelta(minutes=5),
    },
    "find agents that cannot read their document": {
        "task": "outcomes.tasks.find_unread_documents",
        "schedule": timedelta(minutes=1),
    },
    "check disks and stores": {
        "task": "outcomes.tasks.find_faults",
        "schedule": timedelta(seconds=5),
    },
    "evaluate alerts about calls": {
        "task": "outcomes.tasks.evaluate_alerts",
        "schedule": timedelta(seconds=5),
    },
    "note agents that hold a stream": {
        "task": "outcomes.tasks.note_connected",
        "schedule": timedelta(seconds=10),
    },
    "choose the tools that metrics name": {
        "task": "outcomes.tasks.choose_named_tools",
        "schedule": timedelta(hours=1),
    },
    "find outdated agents": {
        "task": "outcomes.tasks.find_drift",
        "schedule": timedelta(minutes=1),
    },
    "resolve alerts whose cause is gone": {
        "task": "governance.tasks.end_findings",
        "schedule": timedelta(hours=1),
    },
    "note keys that expire soon": {
        "task": "governance.tasks.note_expiring_keys",
        "schedule": timedelta(hours=1),
    },
    "sign the heads of audit logs": {
        "task": "governance.tasks.sign_audit_heads",
        "schedule": timedelta(minutes=10),
    },
    "send audit logs to other systems": {
        "task": "governance.tasks.send_audit_streams",
        "schedule": timedelta(seconds=30),
    },
    "apply retention": {
        "task": "governance.tasks.remove_what_is_old",
        "schedule": timedelta(hours=1),
    },
    "start retention where a run is due": {
        "task": "outcomes.tasks.start_retention",
        "schedule": timedelta(hours=1),
    },
    "remove unreferenced artifacts": {
        "task": "outcomes.tasks.remove_unreferenced_artifacts",
        "schedule": timedelta(hours=1),
    },
    "remove inactive agents": {
        "task": "outcomes.tasks.remove_agents_long_gone",
        "schedule": timedelta(hours=6),
    },
    "remove idle values of the session store": {
        "task": "outcomes.tasks.remove_idle_values",
        "schedule": timedelta(hours=6),
    },
}


def settles() -> bool:
    """Whether this worker serves the `settle` queue."""
    return SETTLE in app.amqp.queues.consume_from


def schedules() -> bool:
    """Whether this worker runs beat as a thread, as on a single-machine install."""
    return settles() and bool(os.environ.get("EDICTUM_SITE_SCHEDULER"))


@worker_init.connect
def report_this_process(**_: Any) -> None:
    from outcomes.core import heartbeat  # noqa: PLC0415 - needs the settings
    from outcomes.hosts.reporting import start_reporting  # noqa: PLC0415 - needs the models

    queues = ", ".join(app.amqp.queues.consume_from)
    if not settles():
        start_reporting({"jobs": queues})
        return
    scheduler = {"scheduler": ""} if schedules() else {}
    start_reporting({"worker": queues, **scheduler}, lives=heartbeat.is_given)


@beat_init.connect
def report_scheduler(**_: Any) -> None:
    from outcomes.hosts.reporting import start_reporting  # noqa: PLC0415 - needs the models

    if not schedules():  # otherwise the worker reports it
        start_reporting({"scheduler": ""})


@worker_init.connect
def start_inbox_timer(**_: Any) -> None:
    # Started before the first connection to the broker, which may hang.
    if settles():
        sweep_by_timer(app.tasks["outcomes.tasks.settle"])


@worker_ready.connect
def start_beat(**_: Any) -> None:
    if not settles():
        return
    # Lower priority: agents and users wait for requests, but not for this worker. Objects loaded so
    # far stay alive, so the garbage collector can skip them.
    os.nice(5)
    gc.freeze()
    # A separate beat process would outlive a killed worker; a thread doesn't.
    if schedules():
        scheduler = "edictum_site.scheduling:LeasedScheduler"
        beat: Any = EmbeddedService(app, thread=True, scheduler_cls=scheduler)
        beat.start()


@worker_process_init.connect
def start_job_process(**_: Any) -> None:
    """Set up a pool process with the lowest priority, after agents, pages and settling."""
    os.nice(15)
    # A job creates thousands of small long-lived objects, but no reference cycles to collect.
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    signal.signal(signal.SIGTERM, _stop)


def _stop(*_: object) -> None:
    """Stop on SIGTERM: the job is queued again, and another process continues it."""
    # A second signal must not interrupt this.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)
