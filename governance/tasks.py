"""Celery tasks: one or two lines each, idempotent. Each imports what it runs."""

from celery import shared_task


@shared_task
def expire_approvals() -> None:
    from governance.approvals import commands

    commands.expire_approvals()


@shared_task
def expire_requests() -> None:
    from governance.deployments.commands import requests

    requests.expire_requests()


@shared_task
def end_findings() -> None:
    from governance.alerts import commands

    commands.end_findings()


@shared_task
def note_expiring_keys() -> None:
    from governance.people.commands import key_findings

    key_findings.note_expiring_keys()


@shared_task
def sign_audit_heads() -> None:
    from governance import audit_log

    audit_log.sign_heads()


@shared_task
def send_audit_streams() -> None:
    from governance.audit.commands import stream

    stream.send_streams()


@shared_task
def remove_what_is_old() -> None:
    from governance.delivery.commands.retention import remove_old_notes
    from governance.people.commands.accounts import remove_expired_browser_sessions

    remove_old_notes()
    remove_expired_browser_sessions()
