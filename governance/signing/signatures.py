"""Ed25519 pairs whose private half is encrypted with a key derived from the secret key."""

import os
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_PURPOSE = b"edictum-site: the private half of a signing key"
_NONCE = 12


class SealBroken(Exception):
    """The data was sealed with another secret key or for another project, or was altered."""


def new_pair(secret: str, *, owner: str) -> tuple[str, bytes]:
    """New pair: the public half in hex digits, and the private half sealed for this owner."""
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw().hex()
    nonce = os.urandom(_NONCE)
    sealed = _cipher(secret).encrypt(nonce, private.private_bytes_raw(), _bound(public, owner))
    return public, nonce + sealed


def open_pair(sealed: bytes, secret: str, *, public: str, owner: str) -> Ed25519PrivateKey:
    try:
        raw = _cipher(secret).decrypt(sealed[:_NONCE], sealed[_NONCE:], _bound(public, owner))
    except (InvalidTag, ValueError) as error:
        raise SealBroken from error
    return Ed25519PrivateKey.from_private_bytes(raw)


def owner_of(project_id: int) -> str:
    return f"project {project_id}"


def _bound(public: str, owner: str) -> bytes:
    # A sealed half that is copied to another database row can't be decrypted there.
    return f"{owner}:{public}".encode()


@lru_cache(maxsize=4)
def _cipher(secret: str) -> AESGCM:
    # No salt: the secret key is random and as long as the derived key.
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(secret.encode())
    return AESGCM(derived)


def seal_text(text: str, secret: str, *, owner: str) -> bytes:
    """Text encrypted with this secret key and bound to this owner."""
    nonce = os.urandom(_NONCE)
    return nonce + _cipher(secret).encrypt(nonce, text.encode(), owner.encode())


def open_text(sealed: bytes, secret: str, *, owner: str) -> str:
    try:
        return _cipher(secret).decrypt(sealed[:_NONCE], sealed[_NONCE:], owner.encode()).decode()
    except (InvalidTag, ValueError) as error:
        raise SealBroken from error
