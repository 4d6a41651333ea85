"""Acknowledged data survives a power loss, according to the database itself rather than its
settings."""

from django.db import connection


def result_of(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def test_the_database_commits_synchronously_to_disk(db):
    if connection.vendor == "sqlite":
        assert result_of("PRAGMA journal_mode") == "wal"
        assert result_of("PRAGMA synchronous") == 2
        assert result_of("PRAGMA foreign_keys") == 1
    else:
        assert result_of("SHOW fsync") == "on"
        assert result_of("SHOW synchronous_commit") == "on"
