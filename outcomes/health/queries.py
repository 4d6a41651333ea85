"""Compatibility of this version with the schema of its database."""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Name = tuple[str, str]  # the app and the migration


def schema_problem() -> str:
    """Empty when each migration of this version is applied, and no other."""
    applied = _applied()
    if newer := sorted(applied - _known()):
        return f"The database is of a newer version: this one does not know {'.'.join(newer[-1])}."
    if missing := sorted(_known() - applied):
        return f"The database is of an older version: it lacks {'.'.join(missing[0])}."
    return ""


def newer_migration() -> str:
    """The last one applied that this version does not know; empty where it knows all."""
    newer = sorted(_applied() - _known())
    return ".".join(newer[-1]) if newer else ""


def _applied() -> frozenset[Name]:
    apps = {app for app, _ in _known()}
    recorded = MigrationRecorder(connection).applied_migrations()
    return frozenset(each for each in recorded if each[0] in apps)


@cache
def _known() -> frozenset[Name]:
    return frozenset(MigrationLoader(None).disk_migrations)
