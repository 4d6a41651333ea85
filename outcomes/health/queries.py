"""Compatibility of this version with the schema of its database."""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Name = tuple[str, str]  # the app and the migration

# The second migration of 0.1, which 0.2 replaced by one initial migration per app.
FIRST_RELEASE: Name = ("outcomes", "0002_session_store")
NO_UPDATE = (
    "The database is from Edictum Site 0.1, which this version cannot update. "
    "Start with a new data folder or an empty database."
)


def schema_problem() -> str:
    """Empty when each migration of this version is applied, and no other."""
    applied = _applied()
    if FIRST_RELEASE in applied:
        return NO_UPDATE
    if newer := sorted(applied - _known()):
        return f"The database is newer than this version: {'.'.join(newer[-1])} is unknown here."
    if missing := sorted(_known() - applied):
        return f"The database is older than this version: {'.'.join(missing[0])} is missing."
    return ""


def reason_not_to_migrate() -> str:
    """Reason why this version cannot migrate the database; empty when it can."""
    applied = _applied()
    if FIRST_RELEASE in applied:
        return NO_UPDATE
    if newer := sorted(applied - _known()):
        return (
            f"The database was migrated by a newer Edictum Site ({'.'.join(newer[-1])})."
            " Start that version, or restore the backup from before the update."
        )
    return ""


def _applied() -> frozenset[Name]:
    apps = {app for app, _ in _known()}
    recorded = MigrationRecorder(connection).applied_migrations()
    return frozenset(each for each in recorded if each[0] in apps)


@cache
def _known() -> frozenset[Name]:
    return frozenset(MigrationLoader(None).disk_migrations)
