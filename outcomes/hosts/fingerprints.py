"""Fingerprints of shared parts as this host sees them: comparable without revealing secrets."""

import hashlib
import os
import secrets
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.conf import settings

from outcomes.core import artifact_store, broker
from outcomes.hosts.domain import Fingerprint

MARKER: Final = ".store-id"
BROKER_KEY: Final = "edictum-site:broker"
ROUNDS: Final = 100_000  # slows down guessing a short key from its fingerprint


def fingerprint() -> Fingerprint:
    return Fingerprint(_secret(settings.SECRET_KEY), artifacts_id(), broker_id())


@lru_cache(1)
def _secret(key: str) -> str:
    digest = hashlib.pbkdf2_hmac("sha256", key.encode(), b"edictum-site host", ROUNDS)
    return digest.hex()[:32]


def artifacts_id() -> str:
    """Hash of a bucket's address, or the id in a folder's marker file, created by the first host.
    Empty while the folder is unavailable."""
    folder = artifact_store.place().folder
    if folder is None:
        return hashlib.sha256(settings.ARTIFACTS.encode()).hexdigest()[:32]
    try:
        return _marked(folder)
    except OSError:
        return ""


def _marked(folder: Path) -> str:
    marker = folder / MARKER
    if not marker.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = folder / f"{MARKER}.{secrets.token_hex(8)}"
        draft.write_text(secrets.token_hex(16))
        # Linked once complete: if two hosts start at once, one wins and both read its id.
        with suppress(FileExistsError):
            os.link(draft, marker)
        draft.unlink()
    return marker.read_text(encoding="ascii")[:64]


def broker_id() -> str:
    """Id that the first host stores in Redis. It changes when Redis loses its data."""
    made = secrets.token_hex(16)
    broker.ask(lambda redis: redis.set(BROKER_KEY, made, nx=True))
    known = broker.ask(lambda redis: redis.get(BROKER_KEY))
    return "" if known is None else bytes(known).decode("ascii", "replace")[:64]
