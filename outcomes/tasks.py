"""Celery tasks: a line or two each, safe to run twice."""

from celery import shared_task

from outcomes import commands


@shared_task
def settle() -> None:
    while commands.settle_inbox():
        pass


@shared_task
def remove_unreferenced_artifacts() -> None:
    commands.remove_unreferenced_artifacts()
