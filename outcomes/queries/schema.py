"""Whether this code and the tables of its database fit each other."""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Name = tuple[str, str]  # the app and the migration


def schema_problem() -> str:
    """Empty when each migration of this version is applied, and no other."""
    known = _known()
    apps = {app for app, _ in known}
    recorded = MigrationRecorder(connection).applied_migrations()
    applied = {each for each in recorded if each[0] in apps}
    if newer := sorted(applied - known):
        return f"The database is of a newer version: this one does not know {'.'.join(newer[-1])}."
    if missing := sorted(known - applied):
        return f"The database is of an older version: it lacks {'.'.join(missing[0])}."
    return ""


@cache
def _known() -> frozenset[Name]:
    return frozenset(MigrationLoader(None).disk_migrations)
