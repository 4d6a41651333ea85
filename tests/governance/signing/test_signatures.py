"""Signing keys: signatures verify, and a private key decrypts only with its secret and owner."""

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from governance.signing.signatures import SealBroken, new_pair, open_pair


def test_a_decrypted_private_key_matches_its_public_key():
    public, sealed = new_pair("secret", owner="a")
    assert len(bytes.fromhex(public)) == 32
    value = open_pair(sealed, "secret", public=public, owner="a").sign(b"bytes")
    assert len(value) == 64
    verifier = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
    verifier.verify(value, b"bytes")
    with pytest.raises(InvalidSignature):
        verifier.verify(value, b"other bytes")


def test_the_private_key_cannot_be_read_from_the_database():
    public, sealed = new_pair("secret", owner="a")
    raw = open_pair(sealed, "secret", public=public, owner="a").private_bytes_raw()
    assert raw not in sealed
    assert len(sealed) == 12 + 32 + 16


@pytest.mark.parametrize(
    "wrong",
    [{"secret": "other"}, {"owner": "b"}, {"public": "0" * 64}, {"sealed": b"short"}],
    ids=str,
)
def test_a_tampered_or_mismatched_encrypted_key_is_rejected(wrong):
    public, sealed = new_pair("secret", owner="a")
    given = {"sealed": sealed, "secret": "secret", "public": public, "owner": "a"} | wrong
    with pytest.raises(SealBroken):
        open_pair(given["sealed"], given["secret"], public=given["public"], owner=given["owner"])


def test_encrypted_keys_are_never_equal():
    assert len({new_pair("secret", owner="a")[1] for _ in range(3)}) == 3
