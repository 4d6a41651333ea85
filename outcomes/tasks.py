"""Celery tasks: a line or two each, safe to run twice."""

from celery import shared_task

from outcomes import commands, pulse
from outcomes.commands.job_processes import JOBS, SETTLERS


@shared_task
def settle() -> None:
    goes_on = True
    with commands.Ahead() as ahead:
        while goes_on:
            pulse.give()
            settled = commands.settle_inbox(ahead)
            if commands.is_more_than_one_can_do():
                SETTLERS.see_to_it(1)
            goes_on = commands.roll_up_now_and_then() or bool(settled)
            goes_on = goes_on or commands.read_older_now_and_then()
            goes_on = goes_on or commands.count_days_now_and_then()


@shared_task
def find_faults() -> None:
    commands.find_faults()


@shared_task
def remove_unreferenced_artifacts() -> None:
    commands.remove_unreferenced_artifacts()


@shared_task
def remove_idle_values() -> None:
    commands.remove_idle_values()


@shared_task
def find_unread_documents() -> None:
    commands.find_unread_documents()


@shared_task
def run_jobs() -> None:
    waiting = commands.take_up_lost_backtests() + commands.take_up_lost_parts()
    waiting += commands.waiting_removals() + commands.waiting_old_calls()
    JOBS.see_to_it(waiting + commands.take_up_lost_looks())


@shared_task
def look_for_suggestions() -> None:
    JOBS.see_to_it(commands.ask_for_looks())


@shared_task
def note_connected() -> None:
    commands.note_connected()


@shared_task
def remove_agents_long_gone() -> None:
    commands.remove_agents_long_gone()


@shared_task
def find_drift() -> None:
    commands.find_drift()
