"""Celery tasks of the composition: a line or two each, safe to run twice."""

from celery import shared_task

from edictum_site.demo_projects import see_to_demos
from outcomes.demo.queries.demo import a_demo_waits


@shared_task
def fill_demos() -> None:
    if a_demo_waits():
        see_to_demos()
