"""Append entries, each chained to the previous one by a keyed hash."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils import timezone

from governance.audit_log.source import current_source
from governance.core.actor import Actor
from governance.models import AuditEntry, Project

# No floats: a database may return them in another notation, which would change the hash.
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
    """Append an entry. Call this in the transaction of the change."""
    queue_at(project)
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    source = current_source()
    entry = AuditEntry(
        project=project,
        number=last.number + 1 if last else 1,
        at=timezone.now(),
        actor=_storable(str(actor), 320),
        action=action,
        subject=_storable(subject, 512),
        details=dict(details or {}),
        address=_storable(source.address, 64),
        user_agent=_storable(source.user_agent, 256),
        previous_hash=last.hash if last else BEGINNING,
    )
    entry.hash = hash_of(entry, chain_keys(entry.project_id)[0])
    entry.save(force_insert=True)
    return entry


def queue_at(project: Project) -> None:
    """Lock the project's row, which serializes writers of its log.

    Callers that also lock other contended rows must call this first, to avoid deadlocks.
    """
    # NO KEY, or every insert of a row that references this project would have to wait, too.
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)


def chain_keys(project_id: int) -> list[bytes]:
    """Chain key of the project, then the ones from earlier secret keys."""
    return [_chain_key(each, project_id) for each in (settings.SECRET_KEY, *settings.OLD_SECRETS)]


def hash_of(entry: AuditEntry, key: bytes) -> str:
    content = {
        "project": entry.project_id,
        "number": entry.number,
        "at": entry.at.isoformat(timespec="microseconds"),
        "actor": entry.actor,
        "action": entry.action,
        "subject": entry.subject,
        "details": entry.details,
        "address": entry.address,
        "user_agent": entry.user_agent,
        "previous": entry.previous_hash,
    }
    canonical = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, canonical.encode("ascii"), hashlib.sha256).hex()


@lru_cache(maxsize=256)
def _chain_key(secret: str, project_id: int) -> bytes:
    # No salt: the secret key is random, and the purpose names the project.
    purpose = f"edictum-site: the audit chain of project {project_id}".encode()
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())


def _storable(text: str, length: int) -> str:
    # PostgreSQL rejects NUL in text, and a name that contains one must not prevent the entry.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:length]
