"""Celery tasks: a line or two each, safe to run twice."""

from celery import shared_task

from governance import commands


@shared_task
def expire_approvals() -> None:
    commands.expire_approvals()


@shared_task
def expire_requests() -> None:
    commands.expire_requests()


@shared_task
def end_findings() -> None:
    commands.end_findings()


@shared_task
def remove_what_is_old() -> None:
    commands.remove_old_approvals()
    commands.remove_old_notes()
    commands.remove_expired_browser_sessions()
