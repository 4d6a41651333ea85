"""Stream a log to another system: JSON lines over HTTPS, in order, at-least-once delivery.

The cursor is the number of the last entry that the receiver acknowledged with a 2xx status. It is
stored, so a restart resumes after it, and retention removes no entry that is not delivered yet.
"""

import json
import logging
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from governance.audit.domain import pause_after
from governance.audit.queries import entries_after, stream_of
from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput
from governance.models import AuditEntry, AuditStream, Project
from governance.outbound import NotSent, post, resolved
from governance.people.policies import Action, refuse_unless
from governance.signing import SealBroken
from governance.signing.signatures import open_text, seal_text

logger = logging.getLogger(__name__)

BATCH: Final = 500  # entries per request
BATCHES: Final = 5  # requests per turn
LEASE: Final = timedelta(minutes=4)  # longer than a turn in which every request takes its limit
LONGEST_TOKEN: Final = 4_096
RESEALED: Final = "The token was sealed with another secret key. Set it again."


def set_stream(project: Project, *, url: str, token: str, by: Actor) -> AuditStream:
    """Start sending the log to this URL, from its first entry.

    An empty token leaves the stored one in place if the URL is unchanged.
    """
    refuse_unless(by, Action.MANAGE_SETTINGS)
    try:
        resolved(url)
    except NotSent as error:
        raise InvalidInput.at("url", str(error)) from None
    if len(url) > 512 or len(token) > LONGEST_TOKEN or not token.isprintable():
        raise InvalidInput.at("token", "Use one line of at most 4,096 characters.")
    return _stored(project, url=url, token=token, by=by)


@transaction.atomic
def _stored(project: Project, *, url: str, token: str, by: Actor) -> AuditStream:
    record(by, "audit stream set", url, project=project)
    row = stream_of(project)
    if row is None or row.url != url:
        AuditStream.objects.filter(project=project).delete()
        row = AuditStream(project=project, url=url)
    if token:
        row.sealed_token = seal_text(token, settings.SECRET_KEY, owner=_owner(project.pk))
    row.due_at = timezone.now()
    row.save()
    return row


@transaction.atomic
def remove_stream(project: Project, *, by: Actor) -> None:
    refuse_unless(by, Action.MANAGE_SETTINGS)
    row = stream_of(project)
    if row is None:  # the button was pressed twice
        return
    record(by, "audit stream removed", row.url, project=project)
    row.delete()


def send_streams() -> None:
    """Send the entries of every stream that is due."""
    due = AuditStream.objects.filter(due_at__lte=timezone.now()).order_by("due_at")
    for number in list(due.values_list("pk", flat=True)):
        send_stream(number)


def send_stream(number: int) -> None:
    """Send entries that are not delivered yet, unless another process is sending them."""
    now = timezone.now()
    claim = AuditStream.objects.filter(pk=number, due_at__lte=now)
    if not claim.update(due_at=now + LEASE):
        return
    row = AuditStream.objects.select_related("project").get(pk=number)
    try:
        for _ in range(BATCHES):
            if not _send_batch(row):
                break
    except (NotSent, SealBroken) as error:
        _note_failure(row, str(error) or RESEALED)
    else:
        AuditStream.objects.filter(pk=number, url=row.url).update(due_at=timezone.now())


def _send_batch(row: AuditStream) -> bool:
    """Send a batch of entries. Returns whether there was anything to send."""
    entries = entries_after(row.project, row.delivered, BATCH)
    if not entries:
        return False
    body = "".join(f"{_line(row.project, entry)}\n" for entry in entries).encode()
    answer = post(row.url, body, _headers(row))
    if not 200 <= answer.status < 300:
        raise NotSent(f"The receiver answered with status {answer.status}.")
    fields = {"delivered": entries[-1].number, "delivered_at": timezone.now()}
    ended = {"error": "", "failed_since": None, "failures": 0}
    there = AuditStream.objects.filter(pk=row.pk, delivered=row.delivered)
    row.delivered = entries[-1].number
    return there.update(**fields, **ended) == 1


def _note_failure(row: AuditStream, error: str) -> None:
    logger.warning("The audit log of %s was not sent: %s", row.project.slug, error)
    now = timezone.now()
    there = AuditStream.objects.filter(pk=row.pk)
    there.filter(failed_since=None).update(failed_since=now)
    pause = pause_after(row.failures + 1)
    there.update(error=error[:512], failures=F("failures") + 1, due_at=now + pause)


def _headers(row: AuditStream) -> dict[str, str]:
    headers = {"Content-Type": "application/x-ndjson", "User-Agent": "edictum-site"}
    if row.sealed_token:
        owner = _owner(row.project_id)
        token = open_text(bytes(row.sealed_token), settings.SECRET_KEY, owner=owner)
        headers["Authorization"] = token if " " in token else f"Bearer {token}"
    return headers


def _line(project: Project, entry: AuditEntry) -> str:
    content = {
        "project": project.slug,
        "number": entry.number,
        "at": entry.at.isoformat(timespec="microseconds"),
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "details": entry.details,
        "address": entry.address,
        "user_agent": entry.user_agent,
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _owner(project_id: int) -> str:
    return f"audit stream of project {project_id}"
