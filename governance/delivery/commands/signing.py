"""Signing keys: created on first use. A rotation creates a new one and re-signs documents."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import islice

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Conflict
from governance.delivery import news
from governance.delivery.queries.documents import unsigned_bytes
from governance.models import Environment, Project, Signature, SigningKey
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import locked_project
from governance.signing import SealBroken, new_signing_key, opened, signing_key_in_use


def sign(project: Project, documents: Iterable[bytes]) -> None:
    """Sign what the key in use has not signed yet. Lock the project first (`locked_project`)."""
    key = signing_key_in_use(project) or new_signing_key(project, by=CONSOLE)
    private: Ed25519PrivateKey | None = None
    waiting = iter(documents)
    while some := {sha256(each).hexdigest(): each for each in islice(waiting, 20)}:
        signed = Signature.objects.filter(key=key, revision_hash__in=some)
        for revision_hash in signed.values_list("revision_hash", flat=True):
            del some[revision_hash]
        if not some:
            continue
        signer = private = private or _opened(key)
        Signature.objects.bulk_create(
            Signature(key=key, revision_hash=revision_hash, value=signer.sign(document))
            for revision_hash, document in some.items()
        )


@transaction.atomic
def rotate_signing_key(project: Project, *, by: Actor) -> SigningKey:
    """Create a new key, sign all deployed documents with it, and notify connected agents."""
    refuse_unless(by, Action.MANAGE_SETTINGS)
    locked_project(project)
    was = signing_key_in_use(project)
    SigningKey.objects.filter(project=project, retired_at=None).update(retired_at=timezone.now())
    key = new_signing_key(project, by=by)
    sign(project, unsigned_bytes(project))
    details = {"public_key": key.public_key, "was": was.public_key if was else None}
    record(by, "signing key rotated", key.public_key, project=project, details=details)
    for environment in Environment.objects.filter(project=project):
        news.publish(project.pk, environment.pk)
    return key


def _opened(key: SigningKey) -> Ed25519PrivateKey:
    try:
        return opened(key)
    except SealBroken:
        raise Conflict(
            "This project's signing key was encrypted with another secret key. Rotate it, and give"
            " the new public key to agents that verify.",
            code="signing_key",
        ) from None
