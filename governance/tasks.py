"""Celery tasks: a line or two each, safe to run twice."""

from celery import shared_task

from governance.alerts import commands as alerts_commands
from governance.approvals import commands as approvals_commands
from governance.approvals.retention import remove_old_approvals
from governance.delivery.commands.retention import remove_old_notes
from governance.deployments.commands import requests
from governance.people.commands.accounts import remove_expired_browser_sessions


@shared_task
def expire_approvals() -> None:
    approvals_commands.expire_approvals()


@shared_task
def expire_requests() -> None:
    requests.expire_requests()


@shared_task
def end_findings() -> None:
    alerts_commands.end_findings()


@shared_task
def remove_what_is_old() -> None:
    remove_old_approvals()
    remove_old_notes()
    remove_expired_browser_sessions()
