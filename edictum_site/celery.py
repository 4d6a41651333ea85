"""The Celery app: the worker that settles, with its beat as a thread so that both end together."""

import gc
import os
import time
from datetime import timedelta
from typing import Any

from celery import Celery
from celery.beat import EmbeddedService
from celery.signals import task_postrun, task_prerun, worker_init, worker_ready
from django.db import close_old_connections, connection

from edictum_site.own_clock import Due, keep_time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")
app = Celery("edictum_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Work waiting is a row in the inbox, whoever forgot it; the sweep is what finds it.
app.conf.beat_schedule = {
    "sweep the inbox": {"task": "outcomes.tasks.settle", "schedule": timedelta(seconds=2)},
    "note approvals that ran out": {
        "task": "governance.tasks.expire_approvals",
        "schedule": timedelta(seconds=5),
    },
    "note requests that ran out": {
        "task": "governance.tasks.expire_requests",
        "schedule": timedelta(minutes=1),
    },
    "see to jobs that wait": {
        "task": "outcomes.tasks.run_jobs",
        "schedule": timedelta(seconds=5),
    },
    "see to demos that wait": {
        "task": "edictum_site.tasks.fill_demos",
        "schedule": timedelta(seconds=5),
    },
    "look for failures that are judged success": {
        "task": "outcomes.tasks.look_for_suggestions",
        "schedule": timedelta(minutes=5),
    },
    "find agents that cannot read their document": {
        "task": "outcomes.tasks.find_unread_documents",
        "schedule": timedelta(minutes=1),
    },
    "find faults of the place": {
        "task": "outcomes.tasks.find_faults",
        "schedule": timedelta(seconds=5),
    },
    "note agents that hold a stream": {
        "task": "outcomes.tasks.note_connected",
        "schedule": timedelta(seconds=10),
    },
    "find agents that drift": {
        "task": "outcomes.tasks.find_drift",
        "schedule": timedelta(minutes=1),
    },
    "end findings whose cause is gone": {
        "task": "governance.tasks.end_findings",
        "schedule": timedelta(hours=1),
    },
    "remove what is kept no longer": {
        "task": "governance.tasks.remove_what_is_old",
        "schedule": timedelta(hours=1),
    },
    "remove unreferenced artifacts": {
        "task": "outcomes.tasks.remove_unreferenced_artifacts",
        "schedule": timedelta(hours=1),
    },
    "remove agents that are long gone": {
        "task": "outcomes.tasks.remove_agents_long_gone",
        "schedule": timedelta(hours=6),
    },
    "remove idle values of the session store": {
        "task": "outcomes.tasks.remove_idle_values",
        "schedule": timedelta(hours=6),
    },
}


@worker_init.connect
def look_by_itself(**_: Any) -> None:
    # From before the broker is asked for the first time: it may hang.
    entries = app.conf.beat_schedule.values()
    every = {entry["task"]: entry["schedule"].total_seconds() for entry in entries}
    due = Due(every, began=time.monotonic())

    def begin(sender: Any = None, **_: Any) -> None:
        due.brought(sender.name)

    def end(sender: Any = None, **_: Any) -> None:
        due.ended(sender.name, time.monotonic())

    task_prerun.connect(begin, weak=False)
    task_postrun.connect(end, weak=False)
    keep_time(due, run_here)


def run_here(task: str) -> None:
    close_old_connections()
    try:
        app.tasks[task]()
    finally:
        connection.close()  # where it was unknown to the pool, nobody else would


@worker_ready.connect
def stand_back(**_: Any) -> None:
    # Agents wait for the door and people for pages, nobody for the worker: where the cores do not
    # do for all, it comes last. What was loaded until now stays: no need to look for garbage there.
    os.nice(5)
    gc.freeze()


@worker_ready.connect
def start_beat(**_: Any) -> None:
    # A beat of its own process outlives a worker that is killed; a thread leaves nothing behind.
    # Kept in memory: a schedule on disk is one more thing that a kill can leave half-written.
    beat: Any = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")
    beat.start()
