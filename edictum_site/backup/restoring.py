"""Restore a backup into an empty installation, and verify that it is complete."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

from edictum_site.backup.archive import (
    SECRET,
    Entry,
    Header,
    Manifest,
    NotABackup,
    entries,
    header_of,
    manifest_of,
)
from edictum_site.backup.database import restoring
from edictum_site.backup.rows import Target, restored_counts
from edictum_site.env import env_secret
from outcomes.core import artifact_store
from outcomes.database import IS_SERVER, NAME
from outcomes.health.queries import unknown_migration
from outcomes.hosts.commands import forget_all_hosts

_CHUNK: Final = 256 * 1024
_HOSTS: Final = "outcomes_host"
_LARGEST_KEY: Final = 4096  # bytes
NOT_EMPTY: Final = (
    "This installation is not empty: {}. Restore into a new data folder and an empty database."
)


def restore_backup(source: Path) -> Manifest:
    """Restore all of a backup or nothing. The rows are committed last."""
    refuse_non_empty()
    rest = entries(source)
    header = header_of(_next(rest))
    _refuse_other(header)
    secret = _secret_of(_next(rest))
    artifacts = _Artifacts()
    target = restoring(header.server)
    try:
        manifest = _read(rest, artifacts, target)
        _compare(manifest, artifacts, secret)
        _keep_secret(secret)  # before the rows that need it
        target.commit()
    except BaseException:
        target.abort()
        artifacts.remove()
        raise
    _refuse_incomplete(manifest)
    if _HOSTS in manifest.rows:  # backups of older versions have no such table
        forget_all_hosts()
    return manifest


def refuse_non_empty() -> None:
    tables = connection.introspection.table_names()
    if tables:
        raise NotABackup(NOT_EMPTY.format(f"its database has {len(tables)} tables"))
    if any(artifact_store.stored_names()):
        raise NotABackup(NOT_EMPTY.format("its artifact store has artifacts"))


def _refuse_other(header: Header) -> None:
    if header.database != NAME:
        how = "unset" if IS_SERVER else "set"
        raise NotABackup(f"The backup is of {header.database}, not {NAME}: {how} DATABASE_URL.")
    if unknown := unknown_migration((app, name) for app, name in header.migrations):
        raise NotABackup(
            f"The backup is of a newer Edictum Site, {header.version} ({unknown})."
            " Restore it with that version or a newer one."
        )


def _secret_of(entry: Entry) -> str:
    if entry.name != SECRET or entry.size > _LARGEST_KEY:
        raise NotABackup("The backup is damaged: its secret key is missing.")
    secret = entry.read().decode()
    if env_secret("EDICTUM_SITE_SECRET_KEY") not in ("", secret):
        raise NotABackup(
            "EDICTUM_SITE_SECRET_KEY is not the key of the backup, so its signing keys could not"
            " be opened. Set the key of the installation that was backed up, or unset it."
        )
    return secret


def _read(rest: Iterator[Entry], artifacts: "_Artifacts", target: Target) -> Manifest:
    digest, parts = hashlib.sha256(), 0
    for entry in rest:
        if artifact := entry.artifact():
            artifacts.add(*artifact, entry)
        elif (part := entry.part()) is not None:
            digest.update(part)
            parts += 1
            target.write(part)
        else:
            manifest = manifest_of(entry)
            if (parts, digest.hexdigest()) != (manifest.parts, manifest.database_sha256):
                raise NotABackup("The backup is damaged: its database does not match its hash.")
            return manifest
    raise NotABackup("The backup is incomplete: its manifest is missing.")


def _compare(manifest: Manifest, artifacts: "_Artifacts", secret: str) -> None:
    if hashlib.sha256(secret.encode()).hexdigest() != manifest.secret_sha256:
        raise NotABackup("The backup is damaged: its secret key does not match its hash.")
    if (len(artifacts.names), artifacts.size) != (manifest.artifacts, manifest.artifact_bytes):
        raise NotABackup(
            f"The backup is damaged: it has {len(artifacts.names)} artifacts"
            f" instead of {manifest.artifacts}."
        )


def _refuse_incomplete(manifest: Manifest) -> None:
    """Compare row counts with those of the snapshot."""
    counts = restored_counts(manifest.rows)
    for table, rows in manifest.rows.items():
        if counts[table] != rows:
            raise NotABackup(f"{table} has {counts[table]} rows instead of {rows}. Do not use it.")


class _Artifacts:
    """Artifacts restored so far, stored under the hash of the bytes read."""

    def __init__(self) -> None:
        self.names: list[tuple[int, str]] = []
        self.size = 0

    def add(self, project: int, sha256: str, entry: Entry) -> None:
        stored = artifact_store.store(project, iter(lambda: entry.read(_CHUNK), b""))
        self.names.append((project, stored.sha256))
        self.size += stored.size_bytes
        if stored.sha256 != sha256:
            raise NotABackup(f"The backup is damaged: {entry.name} does not match its hash.")

    def remove(self) -> None:
        for project, sha256 in self.names:
            artifact_store.remove(project, sha256)


def _keep_secret(secret: str) -> None:
    if env_secret("EDICTUM_SITE_SECRET_KEY"):
        return
    draft = settings.DATA / "secret-key.restoring"
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(secret)
        os.fsync(file.fileno())
    draft.replace(settings.DATA / SECRET)


def _next(rest: Iterator[Entry]) -> Entry:
    entry = next(rest, None)
    if entry is None:
        raise NotABackup("The backup is empty.")
    return entry
