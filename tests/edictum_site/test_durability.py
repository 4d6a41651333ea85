"""What is acknowledged survives a loss of power: asked of the database, not of settings."""

from django.db import connection


def asked(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def test_the_database_waits_for_the_disk(db):
    if connection.vendor == "sqlite":
        assert asked("PRAGMA journal_mode") == "wal"
        assert asked("PRAGMA synchronous") == 2
        assert asked("PRAGMA foreign_keys") == 1
    else:
        assert asked("SHOW fsync") == "on"
        assert asked("SHOW synchronous_commit") == "on"
