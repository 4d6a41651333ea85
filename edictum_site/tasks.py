"""Celery tasks of the composition root: short, idempotent, and safe to lose."""

from typing import Final

from celery import shared_task

FILL_DEMO: Final = "edictum_site.tasks.fill_demo"
LONGEST: Final = 3600  # seconds


@shared_task(soft_time_limit=LONGEST, time_limit=LONGEST + 60)
def fill_demo(number: int) -> None:
    from edictum_site.demo_projects import run_demo

    run_demo(number)


@shared_task
def sweep_demos() -> None:
    from outcomes.demo.commands import waiting_demos
    from outcomes.jobs.sweep import send_again

    send_again({FILL_DEMO: waiting_demos()})
