"""Celery tasks of a line or two each. It does no harm if one runs twice or gets lost.

A job's task receives the job's id; the row holds the rest. Imports are local to each task: the
pool's parent process stays small before it forks, and a worker loads only what its queues need.
"""

import threading

from celery import shared_task

from outcomes.jobs import doorbell

HOUR = 3600

_requested = threading.Event()
_settling = threading.Lock()


@shared_task
def settle() -> None:
    """Settle the inbox, one run per process at a time; a request during it adds a round."""
    from outcomes.settling.rounds import settle_what_waits

    _requested.set()
    while _requested.is_set() and _settling.acquire(blocking=False):
        try:
            _requested.clear()
            settle_what_waits()
        finally:
            _settling.release()


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def run_backtest(number: int) -> None:
    from outcomes.backtesting.commands import run_backtest as run

    run(number)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def run_check_backtest(part: int) -> None:
    from outcomes.reclassification.commands.parts import run_part

    run_part(part)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def reclassify(part: int) -> None:
    from outcomes.reclassification.commands.parts import run_part

    if not run_part(part):
        doorbell.send(doorbell.RECLASSIFY, part)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def remove_session(removal: int) -> None:
    from outcomes.sessions.commands.removal import run_removal

    if not run_removal(removal):
        doorbell.send(doorbell.REMOVE_SESSION, removal)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def scan_for_suggestions(scan: int) -> None:
    from outcomes.suggestions.commands.scans import run_scan

    if not run_scan(scan):
        doorbell.send(doorbell.SCAN, scan)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def index_calls(index: int) -> None:
    from outcomes.search.commands.indexing import run_index

    if not run_index(index):
        doorbell.send(doorbell.INDEX, index)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def run_retention(number: int) -> None:
    from outcomes.retention.commands.runs import run_retention as run

    if not run(number):
        doorbell.send(doorbell.RETENTION, number)


@shared_task(soft_time_limit=HOUR, time_limit=HOUR + 60)
def erase(number: int) -> None:
    from outcomes.retention.commands.erasing import run_erasure

    if not run_erasure(number):
        doorbell.send(doorbell.ERASE, number)


@shared_task
def start_retention() -> None:
    from outcomes.retention.commands.runs import start_due_runs

    for number in start_due_runs():
        doorbell.send(doorbell.RETENTION, number)


@shared_task
def sweep_jobs() -> None:
    from outcomes.backtesting.commands import waiting_backtests
    from outcomes.jobs.sweep import send_again
    from outcomes.models import Rejudging
    from outcomes.reclassification.commands.parts import waiting_parts
    from outcomes.retention.commands.erasing import waiting_erasures
    from outcomes.retention.commands.runs import waiting_runs
    from outcomes.search.commands.indexing import waiting_indexes
    from outcomes.sessions.commands.removal import waiting_removals
    from outcomes.suggestions.commands.scans import waiting_scans

    send_again(
        {
            doorbell.BACKTEST: waiting_backtests(),
            doorbell.CHECK_BACKTEST: waiting_parts(Rejudging.Kind.CHECK_BACKTEST),
            doorbell.RECLASSIFY: waiting_parts(Rejudging.Kind.RECLASSIFICATION),
            doorbell.REMOVE_SESSION: waiting_removals(),
            doorbell.SCAN: waiting_scans(),
            doorbell.INDEX: waiting_indexes(),
            doorbell.RETENTION: waiting_runs(),
            doorbell.ERASE: waiting_erasures(),
        }
    )


@shared_task
def start_suggestion_scans() -> None:
    from outcomes.suggestions.commands.scans import request_scans

    for scan in request_scans():
        doorbell.send(doorbell.SCAN, scan)


@shared_task
def find_faults() -> None:
    from outcomes.artifacts.commands.faults import find_faults as find

    find()


@shared_task
def evaluate_alerts() -> None:
    from outcomes.alerts.commands import evaluate_alerts as evaluate

    evaluate()


@shared_task
def remove_unreferenced_artifacts() -> None:
    from outcomes.artifacts.commands.artifacts import remove_unreferenced_artifacts as remove

    remove()


@shared_task
def remove_idle_values() -> None:
    from outcomes.sessions.commands.counters import remove_idle_values as remove

    remove()


@shared_task
def find_unread_documents() -> None:
    from outcomes.agents.commands.unread_documents import find_unread_documents as find

    find()


@shared_task
def note_connected() -> None:
    from outcomes.agents.commands.presence import note_connected as note

    note()


@shared_task
def remove_agents_long_gone() -> None:
    from outcomes.agents.commands.presence import remove_agents_long_gone as remove

    remove()


@shared_task
def find_drift() -> None:
    from outcomes.agents.commands.drift import find_drift as find

    find()


@shared_task
def choose_named_tools() -> None:
    from outcomes.figures.commands.totals import choose_named_tools as choose

    choose()
