"""Signed heads: number and hash of the newest entry at a point in time, signed by the project.

A head is one line of text, identical in the log stream, in downloaded files and on the page. A copy
stored elsewhere reveals a rehashed or truncated log, no matter who changed it.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import transaction
from django.utils import timezone

from governance.audit_log.chain import queue_at
from governance.core.actor import CONSOLE
from governance.models import AuditEntry, AuditHead, Project
from governance.signing import SealBroken, new_signing_key, opened, signing_key_in_use

logger = logging.getLogger(__name__)
_LINE: Final = re.compile(
    r"audit head 1 (\d{1,18}):([-\w]{1,64}) (\d{1,18}) ([0-9a-f]{64}) ([0-9T:.+-]{19,40})"
    r" ([0-9a-f]{64}) ([0-9a-f]{128})(?![0-9a-f])"
)


@dataclass(frozen=True, slots=True)
class SignedHead:
    project_id: int
    slug: str
    number: int
    hash: str
    at: str
    public_key: str
    signature: str

    def __str__(self) -> str:
        return f"{self.signed_text()} {self.signature}"

    def signed_text(self) -> str:
        place = f"{self.project_id}:{self.slug} {self.number} {self.hash}"
        return f"audit head 1 {place} {self.at} {self.public_key}"

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @property
    def day(self) -> str:
        return self.at[:10]

    def is_signed(self) -> bool:
        try:
            verifier = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.public_key))
            verifier.verify(bytes.fromhex(self.signature), self.signed_text().encode())
        except (InvalidSignature, ValueError):
            return False
        return True


def heads_in(text: str) -> Iterator[SignedHead]:
    """Signed heads in a text such as a log file. Other text is skipped."""
    for match in _LINE.finditer(text):
        project, slug, number, digest, at, public_key, signature = match.groups()
        yield SignedHead(int(project), slug, int(number), digest, at, public_key, signature)


def signed_heads(project: Project) -> list[SignedHead]:
    """Stored heads, oldest first."""
    rows = AuditHead.objects.filter(project=project).order_by("number")
    return [_head_of(project, row) for row in rows]


@transaction.atomic
def sign_head(project: Project) -> SignedHead | None:
    """Sign the log's head, unless it is already signed, and write it to the log stream.

    None if the log is empty, or the signing key was encrypted with another secret key.
    """
    queue_at(project)
    last = AuditEntry.objects.filter(project=project).order_by("-number").first()
    if last is None:
        return None
    row = AuditHead.objects.filter(project=project, number=last.number).first()
    if row is not None:
        return _head_of(project, row)
    head = _signed(project, last, timezone.now())
    if head is not None:
        transaction.on_commit(lambda: logger.info("%s", head))
    return head


def sign_heads() -> None:
    """Sign the head of every log with new entries."""
    for project in Project.objects.order_by("pk"):
        sign_head(project)


def _signed(project: Project, last: AuditEntry, at: datetime) -> SignedHead | None:
    key = signing_key_in_use(project) or new_signing_key(project, by=CONSOLE)
    try:
        private = opened(key)
    except SealBroken:
        logger.warning("The signing key of %s is sealed with another secret key", project.slug)
        return None
    row = AuditHead(project=project, number=last.number, hash=last.hash, at=at,
                    public_key=key.public_key)  # fmt: skip
    row.signature = private.sign(_head_of(project, row).signed_text().encode()).hex()
    row.save(force_insert=True)
    return _head_of(project, row)


def _head_of(project: Project, row: AuditHead) -> SignedHead:
    at = row.at.isoformat(timespec="microseconds")
    return SignedHead(
        project.pk, project.slug, row.number, row.hash, at, row.public_key, row.signature
    )
