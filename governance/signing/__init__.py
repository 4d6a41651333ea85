"""Signing keys of projects: Ed25519 pairs that sign documents and audit log heads."""

from governance.signing.keys import new_signing_key, opened, signing_key_in_use
from governance.signing.signatures import SealBroken

__all__ = ["SealBroken", "new_signing_key", "opened", "signing_key_in_use"]
