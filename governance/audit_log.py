"""The audit log's one way in, and the proof that nothing in it was changed.

Each entry holds the hash of the one before it, so an entry that was altered, removed or put in
between breaks the chain at its number.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import TypeAlias

from django.utils import timezone

from governance.core.actor import Actor
from governance.models import AuditEntry, Project

# No floats: a database may give them back in another spelling, and the hash would differ.
Detail: TypeAlias = "str | int | bool | list[Detail] | dict[str, Detail] | None"

BEGINNING = "0" * 64


def record(
    actor: Actor,
    action: str,
    subject: str,
    *,
    project: Project,
    details: Mapping[str, Detail] | None = None,
) -> AuditEntry:
    """Append an entry; call it inside the transaction of what it tells."""
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
    """The number of the first entry that does not follow from those before it, if any."""
    expected, previous = 1, BEGINNING
    for entry in AuditEntry.objects.filter(project=project).order_by("number").iterator():
        if entry.number != expected:
            return expected
        if entry.previous_hash != previous or entry.hash != hash_of(entry):
            return entry.number
        expected, previous = entry.number + 1, entry.hash
    return None


def _storable(text: str, length: int) -> str:
    # PostgreSQL keeps no NUL in a text, and a name that holds one must not stop the record.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:length]
