"""Tags: a part that asks again names what it shows, and is answered only with something else."""

from hashlib import sha256


def hash_of(*parts: object) -> str:
    return sha256(repr(parts).encode()).hexdigest()[:16]
