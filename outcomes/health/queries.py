"""Compatibility of this version with the schema of its database."""

from collections.abc import Iterable
from functools import cache

from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from outcomes.core.schema import GENERATION
from outcomes.models import SchemaState

Name = tuple[str, str]  # app and migration

# The second migration of 0.1, which 0.2 replaced by one initial migration per app.
FIRST_RELEASE: Name = ("outcomes", "0002_session_store")
NO_UPDATE = (
    "The database is from Edictum Site 0.1, which this version cannot update. "
    "Start with a new data folder or an empty database."
)


def schema_problem() -> str:
    """Reason why this version can't work with the schema, or empty. It works with its own schema
    and that of the next release."""
    applied = _applied()
    if FIRST_RELEASE in applied:
        return NO_UPDATE
    if missing := sorted(_known() - applied):
        return (
            f"The database is older than this version: {'.'.join(missing[0])} is missing."
            f" Run `{settings.PROGRAM_NAME} migrate`."
        )
    newer = sorted(applied - _known())
    if newer and not _admits_this_version():
        return f"The database is newer than this version: {'.'.join(newer[-1])} is unknown here."
    return ""


def reason_not_to_migrate() -> str:
    """Reason why this version can neither use nor migrate the database, or empty."""
    applied = _applied()
    if FIRST_RELEASE in applied:
        return NO_UPDATE
    newer = sorted(applied - _known())
    if newer and not _admits_this_version():
        return (
            f"The database was migrated by a newer Edictum Site ({'.'.join(newer[-1])})."
            " Start that version, or restore the backup from before the update."
        )
    return ""


def is_newer_schema() -> bool:
    """Whether a newer version migrated the database, so that this one must not change it."""
    return bool(_applied() - _known())


def _admits_this_version() -> bool:
    """Whether the newer version declared its schema compatible with this version's code."""
    row = SchemaState.objects.order_by("-generation").first()
    return row is not None and row.oldest <= GENERATION


def unknown_migration(applied: Iterable[Name]) -> str:
    """Newest of these migrations that this version lacks, or empty if it has all."""
    return ".".join(max(_in_known_apps(applied) - _known(), default=()))


def _applied() -> frozenset[Name]:
    return _in_known_apps(MigrationRecorder(connection).applied_migrations())


def _in_known_apps(migrations: Iterable[Name]) -> frozenset[Name]:
    apps = {app for app, _ in _known()}
    return frozenset(each for each in migrations if each[0] in apps)


@cache
def _known() -> frozenset[Name]:
    return frozenset(MigrationLoader(None).disk_migrations)
