"""Celery tasks: a line or two each, safe to run twice."""

from celery import shared_task

from outcomes.agents.commands import drift, presence, unread_documents
from outcomes.artifacts.commands import artifacts, faults
from outcomes.backtesting.commands import take_up_lost_backtests
from outcomes.core import heartbeat as pulse
from outcomes.figures.commands.rolling_up import roll_up_now_and_then
from outcomes.jobs.processes import JOBS, SETTLERS
from outcomes.reclassification.commands.parts import take_up_lost_parts
from outcomes.sessions.commands import counters
from outcomes.sessions.commands.days import count_days_now_and_then
from outcomes.sessions.commands.readings import read_older_now_and_then
from outcomes.sessions.commands.removal import waiting_removals
from outcomes.settling.claims import is_more_than_one_can_do
from outcomes.settling.older_calls import waiting_old_calls
from outcomes.settling.prefetch import Ahead
from outcomes.settling.settle import settle_inbox
from outcomes.suggestions.commands.scans import ask_for_looks, take_up_lost_looks


@shared_task
def settle() -> None:
    goes_on = True
    with Ahead() as ahead:
        while goes_on:
            pulse.give()
            settled = settle_inbox(ahead)
            if is_more_than_one_can_do():
                SETTLERS.see_to_it(1)
            goes_on = roll_up_now_and_then() or bool(settled)
            goes_on = goes_on or read_older_now_and_then()
            goes_on = goes_on or count_days_now_and_then()


@shared_task
def find_faults() -> None:
    faults.find_faults()


@shared_task
def remove_unreferenced_artifacts() -> None:
    artifacts.remove_unreferenced_artifacts()


@shared_task
def remove_idle_values() -> None:
    counters.remove_idle_values()


@shared_task
def find_unread_documents() -> None:
    unread_documents.find_unread_documents()


@shared_task
def run_jobs() -> None:
    waiting = take_up_lost_backtests() + take_up_lost_parts()
    waiting += waiting_removals() + waiting_old_calls()
    JOBS.see_to_it(waiting + take_up_lost_looks())


@shared_task
def look_for_suggestions() -> None:
    JOBS.see_to_it(ask_for_looks())


@shared_task
def note_connected() -> None:
    presence.note_connected()


@shared_task
def remove_agents_long_gone() -> None:
    presence.remove_agents_long_gone()


@shared_task
def find_drift() -> None:
    drift.find_drift()
