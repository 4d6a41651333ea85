"""Signing key of a project: create it when first needed, and decrypt it to sign."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from governance.core.actor import Actor
from governance.models import Project, SigningKey
from governance.signing.signatures import new_pair, open_pair, owner_of


def signing_key_in_use(project: Project) -> SigningKey | None:
    return SigningKey.objects.filter(project=project, retired_at=None).first()


def new_signing_key(project: Project, *, by: Actor) -> SigningKey:
    public, sealed = new_pair(settings.SECRET_KEY, owner=owner_of(project.pk))
    return SigningKey.objects.create(
        project=project, public_key=public, sealed=sealed, author=str(by)[:320]
    )


def opened(key: SigningKey) -> Ed25519PrivateKey:
    """Decrypt the private half. Raises SealBroken if it was sealed with another secret key."""
    owner = owner_of(key.project_id)
    return open_pair(bytes(key.sealed), settings.SECRET_KEY, public=key.public_key, owner=owner)
