"""The audit log's one way in, and the proof that nothing in it was changed.

Each entry holds the hash of the one before it, so an entry that was altered, removed or put in
between breaks the chain at its number.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import TypeAlias

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from governance.core.actor import CONSOLE, Actor
from governance.models import AuditEntry, Project

# No floats: a database may give them back in another spelling, and the hash would differ.
Detail: TypeAlias = "str | int | bool | list[Detail] | dict[str, Detail] | None"

BEGINNING = "0" * 64
REMOVED = "audit entries removed"


def record(
    actor: Actor,
    action: str,
    subject: str,
    *,
    project: Project,
    details: Mapping[str, Detail] | None = None,
) -> AuditEntry:
    """Append an entry; call it inside the transaction of the change."""
    queue_at(project)
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    entry = AuditEntry(
        project=project,
        number=last.number + 1 if last else 1,
        at=timezone.now(),
        actor=_storable(str(actor), 320),
        action=action,
        subject=_storable(subject, 512),
        details=dict(details or {}),
        previous_hash=last.hash if last else BEGINNING,
    )
    entry.hash = hash_of(entry)
    entry.save(force_insert=True)
    return entry


def queue_at(project: Project) -> None:
    """The project's row is the queue of its writers. Who locks other rows too, and they could be
    locked by somebody else meanwhile, comes here first: two orders may cross."""
    # NO KEY, or every row that is being inserted for this project would have to wait too.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def hash_of(entry: AuditEntry) -> str:
    content = {
        "project": entry.project_id,
        "number": entry.number,
        "at": entry.at.isoformat(timespec="microseconds"),
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "details": entry.details,
        "previous": entry.previous_hash,
    }
    canonical = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def verify(project: Project) -> int | None:
    """The number of the first entry that does not follow from those before it, if any.

    A log that begins later than with its first entry has to say so itself: which entries retention
    removed, and the hash of the last of them.
    """
    entries = AuditEntry.objects.filter(project=project).order_by("number")
    first = entries.first()
    if first is None:
        return None
    expected, previous = first.number, first.previous_hash
    if (expected, previous) != (1, BEGINNING) and not _says_removed(
        entries, expected - 1, previous
    ):
        return 1
    for entry in entries.iterator():
        if entry.number != expected:
            return expected
        if entry.previous_hash != previous or entry.hash != hash_of(entry):
            return entry.number
        expected, previous = entry.number + 1, entry.hash
    return None


def _says_removed(entries: QuerySet[AuditEntry], up_to: int, last_hash: str) -> bool:
    """Whether an entry says that the beginning up to here was removed; a forged one breaks the
    chain at its own number."""
    removals = entries.filter(action=REMOVED).values_list("details", flat=True)
    return any((each.get("up_to"), each.get("hash")) == (up_to, last_hash) for each in removals)


def entries_before(project: Project, before: datetime) -> QuerySet[AuditEntry]:
    """The beginning of the log up to this moment."""
    later = AuditEntry.objects.filter(project=project, at__gte=before).order_by("number")
    first = later.values_list("number", flat=True).first()
    rows = AuditEntry.objects.filter(project=project)
    return rows.none() if first is None else rows.filter(number__lt=first)


@transaction.atomic
def remove_entries(project: Project, before: datetime) -> int:
    """Remove the beginning of the log, and say so at its end, with what it ended in."""
    queue_at(project)
    rows = entries_before(project, before)
    last = rows.order_by("-number").first()
    if last is None:
        return 0
    number = rows.count()
    details: dict[str, Detail] = {"up_to": last.number, "hash": last.hash, "entries": number}
    record(CONSOLE, REMOVED, f"{number:,} entries before {before:%Y-%m-%d}",
           project=project, details=details)  # fmt: skip
    rows.delete()
    return number


def _storable(text: str, length: int) -> str:
    # PostgreSQL keeps no NUL in a text, and a name that holds one must not stop the record.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:length]
